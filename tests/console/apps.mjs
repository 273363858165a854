// Pages that clients show beside results (MCP Apps), in Chromium: pictures with zoom, the theme of the client, texts as texts, heights, and that no
// request leaves.
// `tests/console/apps` runs it.
import assert from "node:assert/strict";
import { call, close, complaints, leaks, painted, picture, seen, show, tab } from "./host.mjs";

const hostile = "<img src=x onerror=\"window.pwned=1\">\u202e";

// A plot: first the picture of the result, then paths with points; zoom, values, theme.
const columns = { area: [50, 64, 70, 81, 95, 120], price: [180, 210, 265, 290, 330, 410], [`city ${hostile}`]: ["a", "b", "a", "b", hostile, "a"] };
const input = { data: columns, x: "area", y: "price", color: `city ${hostile}`, title: `Homes ${hostile}` };
const drawn = await call("plot", input);
let frame = await show("plot", input, drawn);
await frame.waitForFunction(() => document.getElementById("picture").src.startsWith("data:image/svg+xml"));
await frame.waitForFunction(() => document.getElementById("picture").naturalWidth > 0);
assert.match(await frame.textContent("#caption"), /area/);
assert.ok((await frame.$$("#values tbody tr")).length >= 6, "a table beside it");
await picture("plot-light");
const box = await (await frame.$("#view")).boundingBox();
const scale = () => frame.evaluate(() => Number(document.getElementById("view").dataset.scale));
await tab.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
await tab.mouse.wheel(0, -300);
await frame.waitForFunction(() => Number(document.getElementById("view").dataset.scale) > 1);
await frame.focus("#figure");
await tab.keyboard.press("0");
assert.equal(await scale(), 1);
await tab.keyboard.press("ArrowRight");
assert.match(await frame.textContent("#tip"), /area: 50/);
const mark = await (await frame.$("#mark")).boundingBox();
await tab.mouse.click(mark.x + mark.width / 2, mark.y + mark.height / 2);
await tab.waitForFunction(() => window.seen.told.length === 1);
assert.match((await seen()).told[0].content[0].text, /area: 50/);
await tab.evaluate(() => window.context({ theme: "dark" }));
await tab.waitForFunction(() => window.seen.calls.length === 2);
assert.deepEqual((await seen()).calls.map((one) => [one.name, one.arguments.format, one.arguments.theme]), [["plot", "html", "light"], ["plot", "html", "dark"]]);
await frame.waitForFunction(() => getComputedStyle(document.body).backgroundColor === "rgb(27, 29, 32)");
await tab.waitForTimeout(300);
await picture("plot-dark");
console.log(`plot: first paint after ${Math.round(await painted(frame))} ms`);
// A client that calls no tools has the picture of the result, and its zoom.
frame = await show("plot", input, drawn, {});
await frame.waitForFunction(() => document.getElementById("picture").naturalWidth > 0);
assert.ok(await frame.evaluate(() => document.getElementById("picture").src.startsWith("data:image/png")));
await frame.click("#larger");
assert.ok((await scale()) > 1);
assert.equal((await seen()).calls.length, 0);

// 100,000 rows, named by a handle.
const read = await call("read_table", { path: "wave.csv" });
const handle = read.structuredContent.table?.$artifact;
assert.ok(handle, JSON.stringify(read).slice(0, 400));
const large = { data: { $artifact: handle }, x: "time", y: "level", kind: "line" };
frame = await show("plot", large, await call("plot", large));
await frame.waitForFunction(() => document.getElementById("picture").src.startsWith("data:image/svg+xml"));
await picture("plot-large");

// A run that failed and one that waits: graph, steps, the request.
const steps = [
  { id: "first", tool: "calculate", args: { expression: "6 * 7" } },
  { id: "second", tool: "calculate", args: { expression: "x + 1", variables: { x: { $ref: "first.value" } } } },
  { id: "third", tool: "calculate", args: { expression: "x / 0", variables: { x: { $ref: "first.value" } } } },
  { id: "last", tool: "statistics", args: { data: [1, 2, 3] }, after: ["second", "third"] },
];
const failing = { plan: { version: 1, id: "fails", steps, outputs: {} } };
frame = await show("run", failing, await call("chain_run", failing));
assert.equal((await frame.$$("#graph .box")).length, 4);
assert.equal((await frame.$$("#steps tbody tr")).length, 4);
assert.match(await frame.textContent("#head"), /failed/);
await picture("run-failed");
const writes = { id: "keep", tool: "write_file", args: { path: "notes.txt", content: hostile, mode: "overwrite" }, after: ["second"] };
const pausing = { plan: { version: 1, id: "waits", steps: [steps[0], steps[1], writes], outputs: {} } };
frame = await show("run", pausing, await call("chain_run", pausing));
assert.match(await frame.textContent("#request"), /mathchain approve [0-9a-f]{12}/);
assert.match(await frame.textContent("#graph"), /keep/);
await picture("run-waits");
console.log(`run: first paint after ${Math.round(await painted(frame))} ms`);

// A call that waits: all that it would do, its texts as texts, and nothing that decides.
const edit = { path: "notes.txt", old_string: "old text", new_string: `new ${hostile}` };
const pending = await call("edit_file", edit);
frame = await show("approval", edit, pending);
const words = await frame.evaluate(() => document.body.innerText);
const { request: asked } = pending.structuredContent.error;
for (const fact of ["edit_file", asked.role, asked.reason, "notes.txt", asked.command, "-old text", "+new <img src=x onerror=", "\\u{202e}"]) assert.ok(words.includes(fact), `${fact} in ${words}`);
assert.equal((await frame.$$("img, button, form, input")).length, 0, "nothing to press without a console");
await picture("approval");
frame = await show("approval", edit, { ...pending, structuredContent: { error: { ...pending.structuredContent.error, request: { ...asked, console: "https://console.test/x" } } } });
await frame.click("button");
await tab.waitForFunction(() => window.seen.links.length === 1);
const after = await seen();
assert.deepEqual([after.links, after.calls], [["https://console.test/x"], []]);
console.log(`approval: first paint after ${Math.round(await painted(frame))} ms`);
assert.ok(Math.max(...after.heights) <= 640, "heights are clamped");
for (const one of tab.frames()) assert.equal(await one.evaluate(() => window.pwned), undefined);
assert.deepEqual(leaks, [], "no request leaves");
assert.deepEqual(complaints, []);
await close();
console.log("pages of clients: all held");
