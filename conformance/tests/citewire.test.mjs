// citewire passes every vector, by HTTP in every channel and by its command.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { after, test } from "node:test";

const { CITEWIRE_BINARY, PATH } = process.env;
const ROOT = resolve(import.meta.dirname, "..");
const API_KEY = "the-key-of-the-test-of-conformance";
const folder = mkdtempSync(join(tmpdir(), "citewire-conformance-"));
const children = [];

after(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** Starts the server; resolves with its address. */
function serve() {
  const env = { PATH, CITEWIRE_DATA_DIR: join(folder, "data"), CITEWIRE_API_KEY: API_KEY, CITEWIRE_LOG: "off" };
  const child = spawn(CITEWIRE_BINARY, ["serve", "--bind", "127.0.0.1:0"], {
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  children.push(child);
  return new Promise((found, failed) => {
    const said = [];
    createInterface(child.stderr).on("line", (line) => {
      said.push(line);
      const match = /citewire is listening on (\S+)/.exec(line);
      if (match) found(match[1]);
    });
    child.on("exit", (code) => failed(new Error(`citewire ended with ${code}: ${said.join("\n")}`)));
  });
}

/** Runs the suite with citewire's adapter. */
function conforms(env, args) {
  const program = [
    join(ROOT, "runner-js/citation-conformance.mjs"),
    "--adapter",
    join(ROOT, "adapters/citewire.mjs"),
    ...args,
  ];
  const child = spawn("node", program, { env: { PATH, ...env }, stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (data) => (output += data));
  return new Promise((ended, failed) => {
    child.on("error", failed);
    child.on("close", (code) => ended({ code, output }));
  });
}

/** Nothing failed, and nothing was left out as unsupported. */
function assertPassed({ code, output }) {
  assert.equal(code, 0, output);
  assert.match(output, /^all +\d{3,} +0 +0$/m);
}

test("citewire passes every vector in every channel by HTTP", async () => {
  assertPassed(await conforms({ CITEWIRE_URL: await serve(), CITEWIRE_API_KEY: API_KEY }, []));
});

// A process for each conversion: each vector once, and each channel for some of them.
const OTHERS = [
  "addresses",
  "harm",
  "labels",
  "many",
  "markdown",
  "no-markers",
  "passages",
  "sources",
  "streams",
  "titles",
];
for (const [channel, kinds] of [
  ["neutral", ["providers", "unreadable"]],
  ["teams", ["markers"]],
  ["web-chat", OTHERS],
]) {
  test(`citewire passes ${kinds.join(", ")} by command (${channel})`, async () => {
    const only = kinds.flatMap((kind) => ["--only", kind]);
    assertPassed(await conforms({ CITEWIRE_COMMAND: CITEWIRE_BINARY }, ["--channel", channel, ...only]));
  });
}
