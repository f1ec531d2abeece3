// The packages of npm and PyPI have all that the runners need, and are of citewire's version.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, test } from "node:test";

const { CITEWIRE_VERSION, CONFORMANCE_PYTHON = "python3" } = process.env;
const ROOT = resolve(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "conformance-packages-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const run = (program, args, options = {}) =>
  execFileSync(program, args, { encoding: "utf8", cwd: folder, maxBuffer: 1 << 26, ...options });
const model = ["--command", `node ${join(ROOT, "tests/program.mjs")}`, "--only", "many"];

test("the package of npm runs as it is packed", () => {
  const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  if (CITEWIRE_VERSION) assert.equal(manifest.version, CITEWIRE_VERSION);
  assert.equal(manifest.license, "MIT OR Apache-2.0");
  const flags = ["--ignore-scripts", "--loglevel=error", "--no-update-notifier"];
  const archive = run("npm", ["pack", "--pack-destination", folder, ...flags], { cwd: ROOT })
    .trim()
    .split("\n")
    .at(-1);
  run("tar", ["-xzf", archive]);
  const program = join(folder, "package", manifest.bin["citation-conformance"]);
  assert.ok(run("node", [program, "--list"]).trim().split("\n").length >= 600);
  assert.match(run("node", [program, ...model]), /^all +\d+ +0 +0$/m);
});

test("the wheel runs as it is built", () => {
  const description = readFileSync(join(ROOT, "pyproject.toml"), "utf8");
  const version = /^version = "(.*)"$/m.exec(description)[1];
  if (CITEWIRE_VERSION) assert.equal(version, CITEWIRE_VERSION);
  assert.match(description, /^license = "MIT OR Apache-2.0"$/m);
  run(CONFORMANCE_PYTHON, ["-m", "hatchling", "build", "--target", "wheel", "--directory", folder], {
    cwd: ROOT,
    stdio: "pipe",
  });
  const wheel = `citation_conformance-${version}-py3-none-any.whl`;
  run(CONFORMANCE_PYTHON, ["-m", "zipfile", "-e", wheel, "wheel"]);
  const env = { ...process.env, PYTHONPATH: join(folder, "wheel"), PYTHONDONTWRITEBYTECODE: "1" };
  assert.ok(
    run(CONFORMANCE_PYTHON, ["-m", "citation_conformance", "--list"], { env }).trim().split("\n").length >= 600,
  );
  assert.match(run(CONFORMANCE_PYTHON, ["-m", "citation_conformance", ...model], { env }), /^all +\d+ +0 +0$/m);
});
