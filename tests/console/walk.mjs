// What a person does in the console, in a browser: each part is a function of `PARTS`, and fails by an exception.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import { ASKS, AXE, Project, launch, option, plan } from "./support.mjs";

const HOSTILE = `"><script>window.wasHacked = 1</script><img src=x onerror="window.wasHacked = 1">`;
const PAGES = ["/console", "/console/runs", "/console/plans", "/console/tools", "/console/tools/calculate", "/console/artifacts", "/console/workflows", "/console/policy", "/console/audit"];
const figures = [];
const figure = (what, value, wanted) => figures.push(`| ${what} | ${value} | ${wanted} |`);

/** A run that waits for an approval; gives its id and that of the request. */
function suspend(project, text = ASKS) {
  project.write("plan.yaml", text);
  const { metadata } = project.call(["run", "plan.yaml"]);
  assert.ok(metadata.approval_id, "the run waits");
  return { run: metadata.chain_id, request: metadata.approval_id };
}

const card = (page, request) => page.locator(`#approval-${request}`);
const succeeded = (page) => page.getByText("succeeded").first().waitFor();

const PARTS = {
  async "a suspended run is approved to its end"({ project, page, origin }) {
    const { request } = suspend(project);
    await page.goto(`${origin}/console`);
    await card(page, request).getByRole("button", { name: "Approve and continue the run" }).click();
    await succeeded(page);
    assert.equal(project.read("made.txt"), "x");
  },

  async "arguments are changed and approved in one act"({ project, page, origin }) {
    const { request } = suspend(project, ASKS.replaceAll("made.txt", "edited.txt"));
    await page.goto(`${origin}/console`);
    const form = card(page, request);
    await form.getByText("Edit the arguments and approve").click();
    const area = form.getByLabel("Arguments, as JSON");
    await area.fill((await area.inputValue()).replace('"x"', '"better"'));
    await form.getByRole("button", { name: "Approve with these arguments" }).click();
    await succeeded(page);
    assert.equal(project.read("edited.txt"), "better");
  },

  async "of two people one wins, and the other sees who"({ project, browser, page, context, origin }) {
    const { request } = suspend(project, ASKS.replaceAll("made.txt", "two.txt"));
    // The second page has no scripts: what it shows stays old.
    const beside = await browser.newContext({ storageState: await context.storageState(), javaScriptEnabled: false });
    const other = await beside.newPage();
    await other.goto(`${origin}/console`);
    await page.goto(`${origin}/console`);
    await card(page, request).getByRole("button", { name: "Approve and continue the run" }).click();
    await succeeded(page);
    await card(other, request).getByRole("button", { name: "Deny" }).click();
    await other.getByRole("heading", { name: "Another person was first" }).waitFor();
    assert.match(await other.locator("main").innerText(), /terminal/);
    await beside.close();
  },

  async "a new request appears by itself, also after the connection was lost"({ project, page, context, origin }) {
    await page.goto(`${origin}/console`);
    const first = suspend(project, ASKS.replaceAll("made.txt", "live.txt"));
    await card(page, first.request).waitFor({ timeout: 15_000 });
    await context.setOffline(true);
    const second = suspend(project, ASKS.replaceAll("made.txt", "later.txt"));
    await context.setOffline(false);
    await card(page, second.request).waitFor({ timeout: 30_000 });
    for (const { request } of [first, second]) {
      await page.goto(`${origin}/console`);
      await card(page, request).getByRole("button", { name: "Deny" }).click();
      await page.getByText("Denied").first().waitFor();
    }
  },

  async "hostile names, arguments, results and errors stay text"({ project, page, origin }) {
    const quoted = JSON.stringify(HOSTILE);
    const { run } = suspend(project, plan("hostile", [
      `{id: say, tool: text_stats, args: {text: ${quoted}}}`,
      `{id: fail, tool: calculate, args: {expression: ${quoted}}, on_error: continue}`,
      `{id: write, tool: write_file, args: {path: ${JSON.stringify("a<img src=x onerror=alert(1)>.txt")}, content: ${quoted}}, after: [say]}`,
    ]));
    for (const path of ["/console", `/console/runs/${run}`, `/console/runs/${run}?open=say&open=fail&open=write`, "/console/audit", `/console/tools?q=${encodeURIComponent(HOSTILE)}`]) {
      await page.goto(origin + path);
      await page.waitForLoadState("load");
      assert.equal(await page.evaluate("window.wasHacked"), undefined, path);
      assert.equal(await page.locator("main img[src=x], main script").count(), 0, path);
    }
  },

  async "a form of another site decides nothing"({ project, page, context, origin }) {
    const { request } = suspend(project, ASKS.replaceAll("made.txt", "stolen.txt"));
    const strange = await context.newPage();
    await strange.route("http://elsewhere.test/**", (route) =>
      route.fulfill({ contentType: "text/html", body: `<form method=post action="${origin}/console/decide"><input name=id value="${request}"><input name=decision value=approve><button>go</button></form>` }));
    await strange.goto("http://elsewhere.test/");
    await strange.getByRole("button", { name: "go" }).click();
    await strange.waitForLoadState("load");
    await strange.close();
    await page.goto(`${origin}/console/approvals/${request}`);
    await page.getByRole("button", { name: "Deny" }).waitFor();
    // Nor does a copy of the session's cookie in a browser that never opened the link, without the form's token.
    const sent = await page.request.post(`${origin}/console/decide`, { form: { id: request, decision: "approve" }, headers: { Origin: origin } });
    assert.equal(sent.status(), 403);
    await page.getByRole("button", { name: "Deny" }).click();
  },

  async "every page is free of violations in light, dark and forced colours"({ browser, page, context, origin }) {
    const state = await context.storageState();
    for (const looks of [{ colorScheme: "light" }, { colorScheme: "dark" }, { forcedColors: "active" }]) {
      const beside = await browser.newContext({ storageState: state, bypassCSP: true, ...looks });
      const other = await beside.newPage();
      for (const path of [...PAGES, await aRun(page, origin)]) {
        await other.goto(origin + path);
        await other.addScriptTag({ path: AXE });
        const { violations } = await other.evaluate("axe.run()");
        const said = violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(" ").slice(0, 300)}`);
        assert.deepEqual(said, [], `${path} ${JSON.stringify(looks)}`);
      }
      await beside.close();
    }
  },

  async "the keyboard alone reaches every action, and approves"({ project, page, origin }) {
    const { request } = suspend(project, ASKS.replaceAll("made.txt", "keys.txt"));
    for (const path of [...PAGES, await aRun(page, origin)]) {
      await page.goto(origin + path);
      const wanted = await page.evaluate(() => {
        const shown = (element) => element.checkVisibility() && !element.closest("details:not([open]) > :not(summary)");
        const all = [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")].filter(shown);
        all.forEach((element, number) => (element.dataset.walk = number));
        // Of a group of radio buttons the keyboard stops at one.
        return all.filter((element) => element.type !== "radio").map((element) => Number(element.dataset.walk));
      });
      const reached = new Set();
      for (let press = 0; press < wanted.length * 2 + 20; press++) {
        await page.keyboard.press("Tab");
        const at = await page.evaluate(() => document.activeElement?.dataset?.walk);
        if (at !== undefined) reached.add(Number(at));
      }
      const missed = wanted.filter((number) => !reached.has(number));
      const names = await page.evaluate((numbers) => numbers.map((number) => document.querySelector(`[data-walk="${number}"]`)?.outerHTML.slice(0, 120)), missed);
      assert.deepEqual(names, [], path);
    }
    await page.goto(`${origin}/console/approvals/${request}`);
    const name = "Approve and continue the run";
    for (let press = 0; press < 100; press++) {
      await page.keyboard.press("Tab");
      if ((await page.evaluate(() => document.activeElement?.textContent?.trim())) === name) break;
    }
    await page.keyboard.press("Enter");
    await succeeded(page);
    assert.equal(project.read("keys.txt"), "x");
  },

  async "pages work without scripts"({ project, browser, context, origin }) {
    const { request } = suspend(project, ASKS.replaceAll("made.txt", "plain.txt"));
    const plain = await browser.newContext({ storageState: await context.storageState(), javaScriptEnabled: false });
    const page = await plain.newPage();
    for (const path of PAGES) assert.equal((await page.goto(origin + path)).status(), 200, path);
    await page.goto(`${origin}/console`);
    await page.locator(`#approval-${request} button[value=resume]`).click();
    await page.waitForURL(/runs/);
    await plain.close();
  },

  async "a run of 1,000 steps is shown"({ project, page, origin }) {
    const steps = Array.from({ length: 1000 }, (_, at) => `{id: s${at}, tool: calculate, args: {expression: ${at}+1}${at > 9 ? `, after: [s${at % 10}, s${at - 10}]` : ""}}`);
    project.write("large.yaml", plan("large", steps));
    const { metadata } = project.call(["run", "large.yaml"]);
    const answer = await page.goto(`${origin}/console/runs/${metadata.chain_id}`);
    const bytes = (await answer.body()).length;
    assert.ok(bytes < 1_500_000, `${bytes} bytes`);
    const times = await page.evaluate(() => performance.getEntriesByType("navigation")[0].toJSON());
    figure("run of 1,000 steps: HTML, bytes", bytes, "below 1,500,000");
    figure("run of 1,000 steps: interactive after, ms", times.domInteractive.toFixed(0), "200");
  },
};

async function aRun(page, origin) {
  await page.goto(`${origin}/console/runs`);
  return page.locator('main a[href^="/console/runs/"]').first().getAttribute("href");
}

/** Sizes, times and memory, which decide nothing. */
async function measure({ project, page, context, origin, pid }) {
  const sizes = [];
  page.on("response", async (response) => response.body().then((body) => sizes.push(body.length), () => {}));
  const cold = await context.browser().newContext({ storageState: await context.storageState() });
  const first = await cold.newPage();
  const paints = [];
  for (let turn = 0; turn < 5; turn++) {
    await first.goto(`${origin}/console`);
    await first.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length);
    paints.push(await first.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime));
  }
  const bytes = await first.evaluate(() => [performance.getEntriesByType("navigation")[0], ...performance.getEntriesByType("resource")].reduce((sum, one) => sum + one.encodedBodySize, 0));
  figure("first page with style and script, bytes", bytes, "60,000");
  figure("first page: first paint, ms (five loads)", paints.map((ms) => ms.toFixed(0)).join(", "), "150");
  await cold.close();

  await page.goto(`${origin}/console/runs`);
  await page.evaluate(() => {
    window.frames_ms = [];
    let before = performance.now();
    const look = (now) => (window.frames_ms.push(now - before), (before = now), requestAnimationFrame(look));
    requestAnimationFrame(look);
  });
  const steps = Array.from({ length: 2500 }, (_, at) => `{id: s${at}, tool: calculate, args: {expression: ${at}+1}}`);
  project.write("events.yaml", plan("events", steps));
  project.call(["run", "events.yaml"]);
  await page.waitForTimeout(2000);
  const slowest = await page.evaluate(() => Math.max(...window.frames_ms));
  figure("2,500 steps (5,000 events) beside an open list of runs: slowest frame, ms", slowest.toFixed(0), "100");

  const open = [];
  for (let count = 0; count < 50; count++) {
    const one = await context.newPage();
    await one.goto(`${origin}/console/runs`);
    open.push(one);
  }
  const resident = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1];
  figure("memory of the server with 50 pages open, MB", (resident / 1000).toFixed(0), "60");
  for (const one of open) await one.close();
}

const project = new Project(option("--bin", "target/debug/mathchain"));
const browser = await launch();
let failed = 0;
try {
  const { link, pid } = await project.console();
  const context = await browser.newContext();
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  await page.goto(link);
  // The page of the link leads on by itself.
  await page.waitForURL(/\/console$/);
  const world = { project, browser, context, page, origin: new URL(link).origin, pid };
  const only = option("--only", "");
  for (const [title, part] of Object.entries(PARTS)) {
    if (!title.includes(only)) continue;
    const begun = Date.now();
    try {
      await part(world);
      console.log(`ok    ${title} (${Date.now() - begun} ms)`);
    } catch (error) {
      failed += 1;
      console.log(`FAIL  ${title}\n${error.stack}`);
    }
  }
  if (process.argv.includes("--figures")) await measure(world);
  if (figures.length) console.log(["", "| what | measured | wanted |", "|---|---|---|", ...figures].join("\n"));
} finally {
  await browser.close();
  await project.close();
}
process.exitCode = failed ? 1 : 0;
