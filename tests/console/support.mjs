// A project in a folder of its own, its console, and a browser.

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const need = createRequire(join(process.env.BROWSER_PACKAGES, "node_modules", "here.js"));
export const { chromium } = need("playwright-core");
export const AXE = need.resolve("axe-core/axe.min.js");

/** A folder with a home of its own, in which the program runs. */
export class Project {
  constructor(program) {
    this.program = resolve(program);
    this.folder = mkdtempSync(join(tmpdir(), "mathchain-console-"));
    this.work = join(this.folder, "work");
    mkdirSync(this.work);
    this.environment = { PATH: process.env.PATH, HOME: this.folder, TERM: "dumb", LANG: "C.UTF-8" };
    this.started = [];
    this.servers = [];
  }

  write(name, text) {
    writeFileSync(join(this.work, name), text);
  }

  read(name) {
    return readFileSync(join(this.work, name), "utf8");
  }

  /** Runs the program to its end; gives its answer as JSON, whatever its exit code. */
  call(args, input = "") {
    const done = spawnSync(this.program, [...args, "--json"], { cwd: this.work, env: this.environment, input, encoding: "utf8", maxBuffer: 1 << 28 });
    try {
      return JSON.parse(done.stdout);
    } catch {
      throw new Error(`mathchain ${args.join(" ")} said no JSON:\n${done.stdout.slice(0, 2000)}\n${done.stderr.slice(0, 2000)}`);
    }
  }

  /** Starts a command of the program at a terminal; resolves with the first group of a pattern in what it prints, and its process. */
  startAtTerminal(args, pattern) {
    const command = [this.program, ...args].map((part) => `'${part}'`).join(" ");
    const child = spawn("script", ["-qfec", command, "/dev/null"], { cwd: this.work, env: this.environment, stdio: ["pipe", "pipe", "inherit"] });
    this.started.push(child);
    return new Promise((done, fail) => {
      let said = "";
      child.stdout.on("data", (data) => {
        said += data;
        const found = pattern.exec(said);
        if (found) done({ text: found[1], child });
      });
      child.on("exit", () => fail(new Error(`\`${args.join(" ")}\` ended:\n${said}`)));
    });
  }

  /** Starts the console; resolves with the link that opens it, and its process id. */
  async console(args = []) {
    const { text, child } = await this.startAtTerminal(["console", ...args], /open (http:\S+)[\s\S]*listening on/);
    const pid = Number(execFileSync("pgrep", ["-P", String(child.pid)], { encoding: "utf8" }).trim().split("\n")[0]);
    this.servers.push(pid);
    return { link: text, pid };
  }

  /** Ends what was started, and removes the folder. */
  async close() {
    const ended = this.started.map((child) => new Promise((done) => child.removeAllListeners("exit").once("exit", done)));
    // The server ends by a signal of its own; `script` ends with it.
    for (const pid of this.servers) process.kill(pid, "SIGTERM");
    const late = setTimeout(() => this.started.forEach((child) => child.kill("SIGKILL")), 10_000);
    await Promise.all(ended);
    clearTimeout(late);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export function launch() {
  const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
  return chromium.launch({ executablePath: process.env.CHROMIUM, args: flags });
}

/** The value after an option of the command line. */
export function option(name, absent) {
  const at = process.argv.indexOf(name);
  return at < 0 ? absent : process.argv[at + 1];
}

export const plan = (id, steps) => `version: 1\nid: ${id}\nsteps:\n${steps.map((step) => `  - ${step}\n`).join("")}`;
export const ASKS = plan("report", [
  "{id: sum, tool: calculate, args: {expression: 6*7}}",
  "{id: write, tool: write_file, args: {path: made.txt, content: x}, after: [sum]}",
]);
