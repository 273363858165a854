#!/usr/bin/env node
// Starts the program of this platform. Its standard streams, signals and exit code are passed through untouched.
"use strict";

const { spawn } = require("node:child_process");
const { readFileSync } = require("node:fs");
const os = require("node:os");

function program() {
  if (process.env.MATHCHAIN_BINARY) return process.env.MATHCHAIN_BINARY;
  const name = `mathchain-${process.platform}-${process.arch}`;
  try {
    return require.resolve(`${name}/bin/mathchain`);
  } catch {
    console.error(`mathchain: no program for this platform: the package ${name} is not installed`);
    console.error("hint: install without --omit=optional and --no-optional, or set MATHCHAIN_BINARY to a built program");
    process.exit(1);
  }
}

// Whether the terminal sends Ctrl-C to the program too, since both are in its foreground group.
function terminalSignals() {
  try {
    const stat = readFileSync("/proc/self/stat", "utf8");
    const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return group === foreground;
  } catch {
    return Boolean(process.stdin.isTTY);
  }
}

const path = program();
const child = spawn(path, process.argv.slice(2), { stdio: "inherit" });
const signals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];
for (const signal of signals) {
  process.on(signal, () => {
    const sent = (signal === "SIGINT" || signal === "SIGQUIT") && terminalSignals();
    if (!sent) child.kill(signal);
  });
}
child.on("error", (error) => {
  console.error(`mathchain: ${path} does not start: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  // End by the same signal, so that the parent sees it.
  for (const one of signals) process.removeAllListeners(one);
  process.kill(process.pid, signal);
  setTimeout(() => process.exit(128 + os.constants.signals[signal]), 1000);
});
