// The vectors, the judges and the packages, without any program that makes messages but the model of the tests.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, test } from "node:test";

import { judge } from "../runner-js/judge.mjs";
import { read } from "../runner-js/vectors.mjs";
import { FAULTS } from "./faults.mjs";
import { reply } from "./model.mjs";
import { faultsOf } from "./schema.mjs";

/** Enough vectors for every rule. */
const SOME = [
  "labels/highest",
  "labels/none",
  "listed/dify-english",
  "sources/uncited",
  "sources/address-and",
  "sources/one-",
  "titles/quotes",
  "titles/long-emoji",
  "no-markers/code",
  "unreadable/empty",
  "harm/script-link",
  "many/3-sources",
  "streams/no-end-sign",
  "passages/plain",
  "markers/number-sentence",
  "markers/number-both",
  "markdown/adjacent-numbers",
  "markdown/currency",
  "markdown/math-signs",
  "providers/gemini-emoji",
];

const ROOT = resolve(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "conformance-"));
const PYTHON = process.env.CONFORMANCE_PYTHON ?? "python3";
after(() => rmSync(folder, { recursive: true, force: true }));

const JS = ["node", [join(ROOT, "runner-js/citation-conformance.mjs")], {}];
const PY = [
  PYTHON,
  ["-m", "citation_conformance"],
  { PYTHONPATH: join(ROOT, "runner-python"), PYTHONDONTWRITEBYTECODE: "1" },
];

/** Runs a runner; resolves with its exit code, what it says, and its files. */
function run([program, first, env], name, args) {
  const path = (ending) => join(folder, `${name}.${ending}`);
  const files = ["json", "junit", "badge"].flatMap((kind) => [`--${kind}`, path(kind)]);
  return new Promise((ended, failed) => {
    const child = spawn(program, [...first, ...args, ...files], {
      env: { ...process.env, ...env },
      cwd: ROOT,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (data) => (output += data));
    child.on("error", failed);
    child.on("close", (code) =>
      ended({
        code,
        output,
        json: JSON.parse(readFileSync(path("json"), "utf8")),
        junit: readFileSync(path("junit"), "utf8"),
        badge: readFileSync(path("badge"), "utf8"),
      }),
    );
  });
}

const MODEL = ["--command", `node ${join(ROOT, "tests/program.mjs")}`];
const verdicts = ({ json }) =>
  json.results.map(({ id, channel, verdict, faults }) => [id, channel, verdict, faults.map(({ rule }) => rule).sort()]);

test("the vectors are those that the generator writes", () => {
  const { status, stderr } = spawnSync("node", [join(ROOT, "generate/generate.mjs"), "--check"], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
});

test("each vector is what the schema says", () => {
  const schema = JSON.parse(readFileSync(join(ROOT, "schema.json"), "utf8"));
  const vectors = read(join(ROOT, "vectors"));
  assert.ok(vectors.length >= 600, `${vectors.length} vectors`);
  for (const { answer, ...vector } of vectors) {
    assert.deepEqual(faultsOf(schema, vector), [], vector.id);
    for (const key of new Set(
      [vector.expect.reads]
        .flat()
        .join("")
        .match(/(?<=⟦)[^⟧]+/g),
    ))
      assert.ok(vector.sources[key], `${vector.id}: ${key}`);
  }
});

test("both runners pass a program that does what the vectors say, and say the same", async () => {
  const [js, py] = await Promise.all([run(JS, "js", MODEL), run(PY, "py", MODEL)]);
  const failures = js.json.results.filter(({ verdict }) => verdict !== "passed");
  assert.deepEqual(failures, [], js.output);
  assert.equal(js.code, 0);
  assert.equal(py.code, 0, py.output);
  assert.equal(py.output, js.output);
  assert.equal(py.junit, js.junit);
  assert.equal(py.badge, js.badge);
  assert.deepEqual(verdicts(py), verdicts(js));
});

test("each fault is found by its rule, and by both judges alike", () => {
  const vectors = read(join(ROOT, "vectors")).filter(({ id }) => SOME.some((name) => id.startsWith(name)));
  const cases = Object.entries(FAULTS).flatMap(([fault, { spoil }]) =>
    vectors.flatMap((vector) =>
      Object.keys(vector.channels).map((channel) => ({
        fault,
        vector,
        channel,
        reply: spoil(structuredClone(reply(vector, channel)), channel),
      })),
    ),
  );
  const mine = cases.map(({ vector, channel, reply }) => {
    const { verdict, faults } = judge(vector, channel, reply);
    return [verdict, faults.map(({ rule }) => rule).sort()];
  });
  for (const [fault, { rule }] of Object.entries(FAULTS)) {
    assert.ok(
      cases.some((one, at) => one.fault === fault && mine[at][1].includes(rule)),
      `${fault}: nothing found by ${rule}`,
    );
  }
  const input = cases.map(({ vector, channel, reply }) => `${JSON.stringify([vector.id, channel, reply])}\n`).join("");
  const [program, , env] = PY;
  const options = { input, encoding: "utf8", env: { ...process.env, ...env }, maxBuffer: 1 << 28 };
  const { stdout, stderr } = spawnSync(program, [join(ROOT, "tests/judge.py")], options);
  const others = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.equal(others.length, cases.length, stderr);
  const different = cases.flatMap(({ fault, vector: { id }, channel }, at) =>
    JSON.stringify(mine[at]) === JSON.stringify(others[at])
      ? []
      : [{ fault, id, channel, js: mine[at], python: others[at] }],
  );
  assert.deepEqual(different.slice(0, 5), []);
});

test("a run that asks for nothing is refused, and does not pass", () => {
  for (const [program, first, env] of [JS, PY]) {
    const args = [...first, ...MODEL, "--only", "markers", "--channel", "m365-copilot"];
    const { status, stderr } = spawnSync(program, args, { env: { ...process.env, ...env }, encoding: "utf8" });
    assert.equal(status, 2, stderr);
    assert.match(stderr, /none of these vectors is for m365-copilot/);
  }
});

test("a program that supports nothing does not pass", async () => {
  const command = `node -e 'require("readline").createInterface(process.stdin).on("line", () => console.log("{\\"unsupported\\":\\"no\\"}"))'`;
  for (const runner of [JS, PY]) {
    const { code, output, json } = await run(runner, "unsupported", ["--command", command, "--only", "many/3-sources"]);
    assert.equal(code, 1, output);
    assert.ok(json.results.length > 0 && json.results.every(({ verdict }) => verdict === "unsupported"), output);
    assert.match(output, /supports nothing/);
  }
});

test("a program that is none is a failure, and no crash", async () => {
  for (const [name, command] of [
    ["none", "no-such-program"],
    ["silent", "true"],
    ["words", "while read line; do echo words; done"],
  ]) {
    for (const runner of [JS, PY]) {
      const { code, json } = await run(runner, name, ["--command", command, "--only", "many/3-sources"]);
      assert.equal(code, 1);
      assert.ok(
        json.results.every(({ faults }) => faults[0].rule === "reply"),
        name,
      );
    }
  }
});
