"""The tasks by PyMongo, which has no models: the documents are dictionaries."""

import json
import sys
import time

import pymongo

import tasks


def weight(model, document):
    if model == "nested":
        return len(document["embedded_str_doc_1"]["field1"]) + document["embedded_int_doc_8"]["field1"]
    if model == "large":
        return len(document["field1"]) + document["field126"] + len(document.get("image_field", b""))
    return len(document["field1"]) + document["field8"]


def create(collection, order):
    fields = dict(TEMPLATES[order["model"]])
    if order["image"]:
        fields["image_field"] = tasks.image(order["image"])
    started = time.perf_counter()
    for _ in range(order["count"]):
        collection.insert_one(dict(fields))
    return time.perf_counter() - started, 0, 0


def update(collection, order):
    change = {"$set": {order["field"]: tasks.UPDATED}}
    started = time.perf_counter()
    for number in range(order["count"]):
        collection.update_one({"_id": tasks.object_id(number)}, change)
    return time.perf_counter() - started, 0, 0


def find(collection, order):
    model, field = order["model"], order["field"]
    documents = total = 0
    started = time.perf_counter()
    for number in range(order["count"]):
        document = collection.find_one({field: tasks.key_of(field, number)})
        documents += 1
        total += weight(model, document)
    return time.perf_counter() - started, documents, total


TEMPLATES = {name: tasks.template(name) for name in tasks.MODELS}
VERBS = {"create": create, "update": update, "find": find}


def main():
    with pymongo.MongoClient(tasks.URI) as client:
        database = client[tasks.DATABASE]
        tasks.say({"name": "PyMongo", "version": f"{pymongo.version} on Python {tasks.PYTHON}"})
        for line in sys.stdin:
            order = json.loads(line)
            seconds, documents, total = VERBS[order["verb"]](database[order["model"]], order)
            tasks.say({"ms": seconds * 1000, "documents": documents, "sum": total})


main()
