#!/usr/bin/env node
// Holds a program that makes messages of answers with sources against the vectors.

import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";

import { CHANNELS, judge } from "./judge.mjs";
import { open } from "./program.mjs";
import { badge, counts, explanation, junit, table } from "./report.mjs";
import { chosen, read, requests } from "./vectors.mjs";

const ROOT = join(import.meta.dirname, "..");
const HELP = `Usage: citation-conformance PROGRAM [OPTIONS]

PROGRAM is one of
  --command "CMD"   reads one request a line and writes one reply a line; with --once, it is started for each request
  --url URL         gets each request by POST; --header "NAME: VALUE" adds a header
  --adapter FILE    a module whose default export answers a request

Options:
  --only ID         this vector or kind alone; may be given several times
  --channel NAME    this channel alone (${CHANNELS.join(", ")}); may be given several times
  --list            print the ids of the vectors
  --jobs N          ask for so many replies at a time (8)
  --failures N      explain at most so many failures (20)
  --junit FILE, --badge FILE, --json FILE   write the results
  --vectors FOLDER  other vectors

Exit codes: 0 no failure, 1 failures or nothing that passed, 2 invalid arguments.`;

const OPTIONS = {
  command: { type: "string" },
  once: { type: "boolean" },
  url: { type: "string" },
  header: { type: "string", multiple: true, default: [] },
  adapter: { type: "string" },
  only: { type: "string", multiple: true, default: [] },
  channel: { type: "string", multiple: true, default: [] },
  list: { type: "boolean" },
  jobs: { type: "string", default: "8" },
  failures: { type: "string", default: "20" },
  junit: { type: "string" },
  badge: { type: "string" },
  json: { type: "string" },
  vectors: { type: "string", default: join(ROOT, "vectors") },
  help: { type: "boolean" },
};

function refuse(why) {
  console.error(`citation-conformance: ${why}\n\n${HELP}`);
  process.exit(2);
}

function options() {
  let values;
  try {
    ({ values } = parseArgs({ options: OPTIONS }));
  } catch (error) {
    refuse(error.message);
  }
  const programs = ["command", "url", "adapter"].filter((name) => values[name] !== undefined);
  if (values.help || values.list) return values;
  if (programs.length !== 1) refuse("name one program: --command, --url or --adapter");
  const unknown = values.channel.find((name) => !CHANNELS.includes(name));
  if (unknown) refuse(`there is no channel ${unknown}`);
  for (const name of ["jobs", "failures"]) if (!/^\d+$/.test(values[name])) refuse(`--${name} is a number`);
  const headers = values.header.map(
    (header) => /^([^:]+):\s*(.*)$/.exec(header)?.slice(1) ?? refuse(`${header} is no header`),
  );
  return { ...values, headers: Object.fromEntries(headers) };
}

/** The results of all requests, so many at a time, in their order. */
async function run(vectors, program, { channel, jobs }) {
  const asked = vectors.flatMap((vector) => requests(vector, channel).map((request) => ({ vector, request })));
  const results = [];
  let next = 0;
  const work = async () => {
    while (next < asked.length) {
      const at = next++;
      const { vector, request } = asked[at];
      const reply = await program.ask(request);
      const broken = reply?.broken && [{ rule: "reply", expected: "a reply", came: reply.broken }];
      const verdict = broken ? { verdict: "failed", faults: broken } : judge(vector, request.channel, reply);
      results[at] = { id: vector.id, channel: request.channel, shows: vector.shows, ...verdict };
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Number(jobs)) }, work));
  return results;
}

/** How this program was started: by npx, by node, or by its name. */
function started() {
  const { npm_command: command, npm_config_package: from } = process.env;
  if (command === "exec") return `npx ${from ? `--package ${from} ` : ""}citation-conformance`;
  return process.argv[1].endsWith(".mjs") ? `node ${relative("", process.argv[1])}` : "citation-conformance";
}

/** The command that repeats this run. */
function repeated({ command, once, url, adapter }) {
  const program = adapter
    ? `--adapter ${adapter}`
    : url
      ? `--url ${url}`
      : `--command ${JSON.stringify(command)}${once ? " --once" : ""}`;
  return `${started()} ${program}`;
}

/** Asks the program for all that is wanted, and tells how it went. */
async function judgeAll(given, vectors) {
  const rules = JSON.parse(readFileSync(join(ROOT, "rules.json"), "utf8"));
  const program = await open(given);
  const results = await run(vectors, program, given);
  await program.close();
  const failed = results.filter(({ verdict }) => verdict === "failed");
  for (const result of failed.slice(0, Number(given.failures)))
    console.log(`${explanation(result, rules, repeated(given))}\n`);
  if (failed.length > Number(given.failures))
    console.log(`… and ${failed.length - Number(given.failures)} more failures\n`);
  console.log(table(results));
  const isEmpty = results.every(({ verdict }) => verdict === "unsupported");
  if (isEmpty) console.log("\nThe program supports nothing of what was asked, so nothing passed.");
  if (given.junit) writeFileSync(given.junit, junit(results, rules));
  if (given.badge) writeFileSync(given.badge, badge(results));
  if (given.json) writeFileSync(given.json, `${JSON.stringify({ counts: counts(results), results }, null, 1)}\n`);
  process.exitCode = failed.length > 0 || isEmpty ? 1 : 0;
}

const given = options();
if (given.help) console.log(HELP);
else {
  const vectors = chosen(read(given.vectors), given.only);
  if (vectors.length === 0) refuse(`no vector is called ${given.only.join(" or ")}`);
  // The process ends when all is written: a reader may be slow.
  if (given.list) for (const { id, shows } of vectors) console.log(`${id}  ${shows}`);
  else if (vectors.every((vector) => requests(vector, given.channel).length === 0))
    refuse(`none of these vectors is for ${given.channel.join(" or ")}`);
  else await judgeAll(given, vectors);
}
