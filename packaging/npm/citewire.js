#!/usr/bin/env node
// Starts the program of this platform, which npm installed as an optional dependency, and ends as it ends.
"use strict";

const { spawn } = require("node:child_process");
const os = require("node:os");

const name = `@citewire/${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "citewire.exe" : "citewire";

function refuse(...lines) {
  console.error(["citewire cannot be started:", ...lines].join("\n  "));
  process.exit(1);
}

function program() {
  // Programs for Linux need glibc; Node says which one it runs on itself, and nothing on musl.
  if (process.platform === "linux" && !process.report.getReport().header.glibcVersionRuntime) {
    refuse("this Linux has no glibc (Alpine has musl); use an image or a system with glibc, such as debian:bookworm-slim");
  }
  try {
    return require.resolve(`${name}/bin/${file}`);
  } catch {
    const { optionalDependencies } = require("./package.json");
    const known = Object.keys(optionalDependencies).map((other) => other.replace("@citewire/", ""));
    if (!(name in optionalDependencies)) {
      refuse(`there is no package for ${process.platform}-${process.arch}, only for ${known.join(", ")}`);
    }
    refuse(
      `the package ${name} is missing.`,
      "npm leaves it out with --omit=optional or --no-optional, and when node_modules comes from another system: install again without",
    );
  }
}

const child = spawn(program(), process.argv.slice(2), { stdio: "inherit" });

// A signal to this process alone, as a service manager sends it, goes on to the program. A Ctrl+C of the terminal reaches both, so
// that it is only kept from ending this process before the program has ended.
for (const signal of ["SIGTERM", "SIGHUP", "SIGQUIT"]) {
  process.on(signal, () => child.kill(signal));
}
process.on("SIGINT", () => {});

child.on("error", (error) => refuse(error.message));
child.on("exit", (code, signal) => {
  if (signal) {
    process.exit(128 + os.constants.signals[signal]);
  }
  process.exit(code);
});
