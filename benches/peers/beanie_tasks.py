"""The tasks by Beanie, whose models are pydantic's, on PyMongo's asynchronous client."""

import asyncio
import importlib.metadata
import json
import sys
import time
from typing import List, Optional

import beanie
import pymongo
from beanie import Document, PydanticObjectId
from beanie.operators import Set
from pydantic import BaseModel, create_model

import tasks


def type_of(name, value):
    if isinstance(value, list):
        return List[type_of(name, value[0])]
    if isinstance(value, dict):
        return create_model(name, __base__=BaseModel, **fields_of(value))
    return type(value)


def fields_of(document):
    return {name: (type_of(name, value), ...) for name, value in document.items()}


def model_of(name):
    fields = fields_of(TEMPLATES[name])
    if name == "small_fk":
        fields["field_fk"] = (PydanticObjectId, ...)
    if name == "large":
        fields["image_field"] = (Optional[bytes], None)

    class Base(Document):
        class Settings:
            pass

    Base.Settings.name = name
    Base.Settings.keep_nulls = False
    return create_model(name.title().replace("_", ""), __base__=Base, **fields)


def weight(model, document):
    if model == "nested":
        return len(document.embedded_str_doc_1.field1) + document.embedded_int_doc_8.field1
    if model == "large":
        return len(document.field1) + document.field126 + len(document.image_field or b"")
    return len(document.field1) + document.field8


async def create(model, order):
    fields = dict(TEMPLATES[order["model"]])
    if order["image"]:
        fields["image_field"] = tasks.image(order["image"])
    started = time.perf_counter()
    for _ in range(order["count"]):
        await model(**fields).insert()
    return time.perf_counter() - started, 0, 0


async def update(model, order):
    change = Set({order["field"]: tasks.UPDATED})
    started = time.perf_counter()
    for number in range(order["count"]):
        await model.find_one({"_id": tasks.object_id(number)}).update(change)
    return time.perf_counter() - started, 0, 0


async def find(model, order):
    name, field = order["model"], order["field"]
    documents = total = 0
    started = time.perf_counter()
    for number in range(order["count"]):
        document = await model.find_one({field: tasks.key_of(field, number)})
        documents += 1
        total += weight(name, document)
    return time.perf_counter() - started, documents, total


TEMPLATES = {name: tasks.template(name) for name in tasks.MODELS}
VERBS = {"create": create, "update": update, "find": find}


async def main():
    models = {name: model_of(name) for name in tasks.MODELS}
    client = pymongo.AsyncMongoClient(tasks.URI)
    await beanie.init_beanie(
        database=client[tasks.DATABASE], document_models=list(models.values()), skip_indexes=True
    )
    version = importlib.metadata.version("beanie")
    tasks.say({"name": "Beanie", "version": f"{version} on PyMongo {pymongo.version}"})
    # Nothing else runs while a line is awaited.
    for line in sys.stdin:
        order = json.loads(line)
        seconds, documents, total = await VERBS[order["verb"]](models[order["model"]], order)
        tasks.say({"ms": seconds * 1000, "documents": documents, "sum": total})
    await client.close()


asyncio.run(main())
