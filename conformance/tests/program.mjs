// A program under test that knows the vectors: its replies are what they expect.

import { createInterface } from "node:readline";
import { join } from "node:path";

import { read } from "../runner-js/vectors.mjs";
import { reply } from "./model.mjs";

const vectors = new Map(read(join(import.meta.dirname, "../vectors")).map((vector) => [vector.id, vector]));
createInterface(process.stdin).on("line", (line) => {
  const { id, channel } = JSON.parse(line);
  console.log(JSON.stringify(reply(vectors.get(id), channel)));
});
