// A real Prometheus reads the figures of a real citewire, with the configuration, the rules and the dashboard of samples/operate.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { after, test } from "node:test";

const { CITEWIRE_BINARY, CITEWIRE_PROMETHEUS, CITEWIRE_PROMTOOL } = process.env;
const API_KEY = "the-key-of-the-test-of-metrics";
const samples = resolve(import.meta.dirname, "../../samples/operate");
const folder = mkdtempSync(join(tmpdir(), "citewire-metrics-"));
const children = [];

after(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

/** Starts a program; resolves with what the first line on stderr that fits says. */
function start(program, args, env, pattern) {
  const child = spawn(program, args, { env: { PATH: process.env.PATH, ...env }, stdio: ["ignore", "ignore", "pipe"] });
  children.push(child);
  return new Promise((found, failed) => {
    const said = [];
    createInterface(child.stderr).on("line", (line) => {
      said.push(line);
      const match = pattern.exec(line);
      if (match) found(match[1]);
    });
    child.on("exit", (code) => failed(new Error(`${program} ended with ${code}: ${said.join("\n")}`)));
  });
}

/** Runs promtool, which has nothing to complain of. */
function promtool(args, input) {
  const { status, stdout, stderr } = spawnSync(CITEWIRE_PROMTOOL, args, { input, cwd: samples, encoding: "utf8" });
  assert.equal(status, 0, `promtool ${args.join(" ")}: ${stdout}${stderr}`);
  return `${stdout}${stderr}`;
}

async function freePort() {
  const server = createServer();
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address();
  await new Promise((closed) => server.close(closed));
  return port;
}

const citewire = start(
  CITEWIRE_BINARY,
  ["serve", "--bind", "127.0.0.1:0"],
  { CITEWIRE_DATA_DIR: join(folder, "data"), CITEWIRE_API_KEY: API_KEY },
  /citewire is listening on (\S+)/,
);

async function post(path, body, status) {
  const headers = { authorization: `Bearer ${API_KEY}`, "content-type": "application/json" };
  const answer = await fetch(`${await citewire}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  assert.equal(answer.status, status, await answer.text());
}

async function convert() {
  const source = { title: "Leave policy", url: "https://hr.example/leave" };
  await post("/v1/activities", { text: "Leave is 30 days [1], or not [2].", sources: [source] }, 200);
}

test("the rules and the configuration are good, and alerts fire when they should", () => {
  promtool(["check", "config", "prometheus.yml"]);
  promtool(["check", "rules", "alerts.yml"]);
  promtool(["test", "rules", "alerts.test.yml"]);
});

test("promtool finds nothing wrong with the figures", async () => {
  await convert();
  const question = { role: "user", content: "How are sensitivity labels attached?" };
  await post("/v1/chat/completions", { model: "docs", messages: [question] }, 200);
  await post("/v1/activities", [], 400);
  // A session of the page is a conversation, which the store has to commit.
  const session = { method: "POST", headers: { "sec-fetch-site": "same-origin" } };
  assert.equal((await fetch(`${await citewire}/page/session`, session)).status, 200);
  const text = await (await fetch(`${await citewire}/metrics`)).text();
  assert.match(text, /^citewire_backend_calls_total\{assistant="docs",kind="local",outcome="answered"\} 1$/m);
  assert.match(text, /^citewire_store_group_duration_seconds_count\{outcome="committed"\} [1-9]/m);
  assert.match(text, /^citewire_conversions_total\{format="auto",outcome="converted"\} 1$/m);
  assert.equal(promtool(["check", "metrics"], text), "");
});

test("a real Prometheus scrapes the server, and sees what a conversion has raised", async () => {
  await convert();
  const port = await freePort();
  const target = new URL(await citewire).host;
  const config = readFileSync(join(samples, "prometheus.yml"), "utf8")
    .replace("127.0.0.1:3978", target)
    .replace("scrape_interval: 15s", "scrape_interval: 250ms")
    .replace("- alerts.yml", `- ${join(samples, "alerts.yml")}`);
  writeFileSync(join(folder, "prometheus.yml"), config);
  const ready = start(
    CITEWIRE_PROMETHEUS,
    [
      `--config.file=${join(folder, "prometheus.yml")}`,
      `--storage.tsdb.path=${join(folder, "tsdb")}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    {},
    /(Server is ready to receive web requests)/,
  );
  await ready;
  const query = async (expression) => {
    const url = `http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expression)}`;
    const { status, data } = await (await fetch(url)).json();
    assert.equal(status, "success", expression);
    return data.result.map((series) => Number(series.value[1]));
  };
  // The first scrape comes within its interval; until then there is no series.
  const until = async (expression, expected) => {
    const end = Date.now() + 10_000;
    let found = [];
    while (Date.now() < end) {
      found = await query(expression);
      if (found.length === 1 && found[0] === expected) return;
      await new Promise((wait) => setTimeout(wait, 50));
    }
    assert.deepEqual(found, [expected], expression);
  };
  await until('up{job="citewire"}', 1);
  const [before] = await query("citewire_conversions_total");
  assert.ok(before >= 1, `${before} conversions`);
  await convert();
  await until('citewire_conversions_total{format="auto",outcome="converted"}', before + 1);
  // What the dashboard and the alerts ask for is understood.
  const { panels } = JSON.parse(readFileSync(join(samples, "grafana.json"), "utf8"));
  for (const { expr } of panels.flatMap((panel) => panel.targets ?? [])) {
    await query(expr.replaceAll("$__rate_interval", "1m").replaceAll("$instance", ".*"));
  }
});
