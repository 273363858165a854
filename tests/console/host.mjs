// A client for pages of MCP Apps: `mathchain serve --mcp` behind it, Chromium before it, and a sandboxed frame under the policy of the
// specification. `apps.mjs` has the checks.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

const option = (name, absent) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? absent : process.argv[at + 1];
};
const { chromium } = createRequire(join(process.env.BROWSER_PACKAGES, "host.js"))("playwright-core");
const binary = resolve(option("bin", "target/debug/mathchain"));
const pictures = option("pictures");
const MIME_TYPE = "text/html;profile=mcp-app";
// The policy that a client makes of the four empty lists of our resources.
const POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; " +
  "font-src 'self'; media-src 'self' data:; frame-src 'none'; object-src 'none'; base-uri 'self'";

const rows = Array.from({ length: 100_000 }, (_, row) => `${row / 1000},${Math.sin(row / 5000).toFixed(6)}`);
const FILES = { "notes.txt": "old text\n", "wave.csv": `time,level\n${rows.join("\n")}\n` };

// The server, over lines.
const work = mkdtempSync(join(tmpdir(), "apps-"));
mkdirSync(join(work, "project"));
for (const [name, text] of Object.entries(FILES)) writeFileSync(join(work, "project", name), text);
const environment = { PATH: process.env.PATH, HOME: work, XDG_STATE_HOME: join(work, "state") };
const server = spawn(binary, ["serve", "--mcp", "--catalog", "full"], { cwd: join(work, "project"), env: environment, stdio: ["pipe", "pipe", "inherit"] });
const waiting = new Map();
createInterface({ input: server.stdout }).on("line", (line) => {
  const message = JSON.parse(line);
  waiting.get(message.id)?.(message);
});
let next = 0;
const request = async (method, params) => {
  const id = ++next;
  const answered = new Promise((done) => waiting.set(id, done));
  server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  const { result, error } = await answered;
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
};
export const call = (name, args) => request("tools/call", { name, arguments: args });
const capabilities = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [MIME_TYPE] } } };
await request("initialize", { protocolVersion: "2025-11-25", capabilities, clientInfo: { name: "host", version: "1" } });
server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);

const pages = {};
for (const name of ["plot", "run", "approval"]) {
  const { contents } = await request("resources/read", { uri: `ui://mathchain/${name}` });
  assert.equal(contents[0].mimeType, MIME_TYPE);
  assert.ok(contents[0].text.length <= 400_000);
  pages[name] = contents[0].text;
}

// The browser: two origins that are answered here, and every other request is a leak.
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
export const tab = await browser.newPage({ viewport: { width: 860, height: 760 } });
export const [leaks, complaints] = [[], []];
await tab.route("**/*", (route) => {
  const url = new URL(route.request().url());
  if (url.host === "host.test") return route.fulfill({ contentType: "text/html", body: readFileSync(new URL("host.html", import.meta.url), "utf8") });
  const page = url.host === "sandbox.test" && pages[url.pathname.slice(1)];
  if (page) return route.fulfill({ contentType: "text/html", headers: { "content-security-policy": POLICY }, body: page });
  leaks.push(url.href);
  return route.abort();
});
tab.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
tab.on("pageerror", (error) => complaints.push(String(error)));
await tab.exposeFunction("callTool", (params) => call(params.name, params.arguments));
await tab.goto("https://host.test/");

const full = { serverTools: {}, openLinks: {}, updateModelContext: {} };
const light = { theme: "light", containerDimensions: { maxHeight: 640 } };
export const show = async (page, input, result, offered = full) => {
  await tab.evaluate((what) => window.show(what), { page, input, result, capabilities: offered, context: light });
  const frame = await (await tab.$("#app")).contentFrame();
  await frame.waitForURL(`https://sandbox.test/${page}`);
  await frame.waitForFunction(() => document.documentElement.dataset.theme === "light" && !document.body.innerText.includes("Waiting for the"));
  return frame;
};
export const seen = () => tab.evaluate(() => ({ ...window.seen }));
export const picture = async (name) => pictures && (await tab.screenshot({ path: join(pictures, `${name}.png`) }));
export const painted = (frame) => frame.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
if (pictures) mkdirSync(pictures, { recursive: true });
export const close = async () => {
  await browser.close();
  const ended = new Promise((done) => server.on("exit", done));
  server.stdin.end();
  await ended;
  rmSync(work, { recursive: true });
};
