// The program under test: a command that answers line by line, a command for each request, a URL, or an adapter.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { resolve } from "node:path";

const SECONDS = 60;

/** A reply, or what became of it instead. */
function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return { broken: `not JSON: ${line.slice(0, 200)}` };
  }
}

const limited = (promise) => {
  let timer;
  const late = new Promise((_, failed) => {
    timer = setTimeout(() => failed(new Error(`no answer within ${SECONDS} seconds`)), SECONDS * 1000);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
};

/** A command that reads one request a line and writes one reply a line, until its input ends. */
function lines(command) {
  const child = spawn(command, { shell: true, stdio: ["pipe", "pipe", "inherit"] });
  const waiting = [];
  let ended;
  const end = (why) => {
    ended ??= new Error(why);
    for (const { failed } of waiting.splice(0)) failed(ended);
  };
  createInterface(child.stdout).on("line", (line) => waiting.shift()?.found(parsed(line)));
  child.on("error", (error) => end(String(error)));
  child.on("close", (code) => end(`the command ended with ${code}`));
  child.stdin.on("error", () => {});
  const ask = (request) =>
    new Promise((found, failed) => {
      if (ended) return failed(ended);
      waiting.push({ found, failed });
      return child.stdin.write(`${JSON.stringify(request)}\n`);
    });
  return { ask, close: () => child.stdin.end() };
}

/** A command that is started for each request, reads it to the end of its input, and writes one reply. */
function once(command) {
  const ask = (request) =>
    new Promise((found, failed) => {
      const child = spawn(command, { shell: true, stdio: ["pipe", "pipe", "inherit"] });
      let output = "";
      child.stdout.setEncoding("utf8").on("data", (data) => (output += data));
      child.on("error", failed);
      child.on("close", () => found(parsed(output)));
      child.stdin.on("error", () => {});
      child.stdin.end(JSON.stringify(request));
    });
  return { ask, close() {} };
}

/** A URL to which each request is posted. */
function url(address, headers) {
  const ask = async (request) => {
    const answer = await fetch(address, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(request),
    });
    return parsed(await answer.text());
  };
  return { ask, close() {} };
}

/** A module whose default export answers a request. */
async function adapter(file) {
  const { default: ask, close = () => {} } = await import(pathToFileURL(resolve(file)));
  return { ask: async (request) => ask(request), close };
}

/** The program that the options name. A reply that fails becomes `{broken}`. */
export async function open(options) {
  const program = options.adapter
    ? await adapter(options.adapter)
    : options.url
      ? url(options.url, options.headers)
      : options.once
        ? once(options.command)
        : lines(options.command);
  const ask = (request) => limited(program.ask(request)).catch((error) => ({ broken: String(error.message ?? error) }));
  return { ask, close: program.close };
}
