"""What both Python peers share: the documents, the keys, and the lines to and from `odm-bench`."""

import json
import os
import pathlib
import platform

from bson import ObjectId

UPDATED = "updated_value"
FOREIGN = 1_000_000
MODELS = ["small", "small_fk", "large", "nested"]
DATABASE = os.environ["ODM_BENCH_DATABASE"]
URI = os.environ["ODM_BENCH_URI"]
PYTHON = platform.python_version()


def template(name):
    path = pathlib.Path(os.environ["ODM_BENCH_DATA"]) / f"{name}.json"
    document = json.loads(path.read_text())
    # A foreign key is no plain value: the template says nothing of its type.
    document.pop("field_fk", None)
    return document


def image(length):
    return bytes(place % 251 for place in range(length))


def object_id(number):
    return ObjectId("6565656565656565" + format(number, "08x"))


def key_of(field, number):
    if field == "field_fk":
        return object_id(FOREIGN + number)
    if field == "embedded_str_doc_1.unique_id":
        return f"1-{number:08}"
    if field == "embedded_str_doc_array.unique_id":
        return f"6-{number:08}"
    return object_id(number)


def say(answer):
    print(json.dumps(answer), flush=True)
