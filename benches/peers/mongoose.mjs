// The tasks by Mongoose: started by `odm-bench`, told one task a line, answers one line for each.

import fs from "node:fs";
import path from "node:path";
import readline from "node:readline";
import { createRequire } from "node:module";

const require = createRequire(path.join(process.env.ODM_BENCH_PACKAGES, "package.json"));
const mongoose = require("mongoose");
const { ObjectId } = mongoose.Types;

const UPDATED = "updated_value";
const FOREIGN = 1_000_000;

function template(name) {
  return JSON.parse(fs.readFileSync(path.join(process.env.ODM_BENCH_DATA, `${name}.json`), "utf8"));
}

/** A schema in the shape of a document. */
function schemaOf(document, more = {}) {
  const fields = { ...more };
  for (const [name, value] of Object.entries(document)) {
    fields[name] = typeOf(value);
  }
  return new mongoose.Schema(fields, { autoIndex: false, autoCreate: false, versionKey: false });
}

function typeOf(value) {
  if (typeof value === "string") return String;
  if (typeof value === "number") return Number;
  if (Array.isArray(value)) return [embedded(value[0])];
  return embedded(value);
}

function embedded(document) {
  const fields = Object.fromEntries(
    Object.entries(document).map(([name, value]) => [name, typeOf(value)]),
  );
  return new mongoose.Schema(fields, { _id: false });
}

function objectId(number) {
  return new ObjectId("6565656565656565" + number.toString(16).padStart(8, "0"));
}

const documents = {};
const models = {};
for (const name of ["small", "small_fk", "large", "nested"]) {
  const document = template(name);
  // A foreign key is no plain value: the template says nothing of its type.
  delete document.field_fk;
  const more = {
    small_fk: { field_fk: { type: mongoose.Schema.Types.ObjectId, ref: "foreign" } },
    large: { image_field: Buffer },
  };
  documents[name] = document;
  models[name] = mongoose.model(name, schemaOf(document, more[name]), name);
}

function keyOf(field, number) {
  if (field === "field_fk") return objectId(FOREIGN + number);
  if (field === "embedded_str_doc_1.unique_id") return unique(1, number);
  if (field === "embedded_str_doc_array.unique_id") return unique(6, number);
  return objectId(number);
}

function unique(place, number) {
  return `${place}-${number.toString().padStart(8, "0")}`;
}

function weight(model, document) {
  if (model === "nested") {
    return document.embedded_str_doc_1.field1.length + document.embedded_int_doc_8.field1;
  }
  if (model === "large") {
    const image = document.image_field?.length ?? 0;
    return document.field1.length + document.field126 + image;
  }
  return document.field1.length + document.field8;
}

async function create(Model, order) {
  const fields = { ...documents[order.model] };
  if (order.image > 0) fields.image_field = Buffer.alloc(order.image).map((_, i) => i % 251);
  const started = performance.now();
  for (let number = 0; number < order.count; number++) {
    await new Model(fields).save();
  }
  return { ms: performance.now() - started, documents: 0, sum: 0 };
}

async function update(Model, order) {
  const started = performance.now();
  for (let number = 0; number < order.count; number++) {
    await Model.updateOne({ _id: objectId(number) }, { [order.field]: UPDATED });
  }
  return { ms: performance.now() - started, documents: 0, sum: 0 };
}

async function find(Model, order) {
  let [documents, sum] = [0, 0];
  const started = performance.now();
  for (let number = 0; number < order.count; number++) {
    const document = await Model.findOne({ [order.field]: keyOf(order.field, number) });
    documents += 1;
    sum += weight(order.model, document);
  }
  return { ms: performance.now() - started, documents, sum };
}

const verbs = { create, update, find };

await mongoose.connect(process.env.ODM_BENCH_URI, {
  dbName: process.env.ODM_BENCH_DATABASE,
  autoIndex: false,
  autoCreate: false,
});
console.log(JSON.stringify({ name: "Mongoose", version: `${mongoose.version} on Node.js ${process.versions.node}` }));
for await (const line of readline.createInterface({ input: process.stdin })) {
  const order = JSON.parse(line);
  console.log(JSON.stringify(await verbs[order.verb](models[order.model], order)));
}
await mongoose.disconnect();
