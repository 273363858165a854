// The pictures of docs/console.md, from a project with a failed run, one that waits, and one that ended.

import { join, resolve } from "node:path";

import { Project, launch, option, plan } from "./support.mjs";

const OUT = resolve(option("--out", "docs/console"));
const VALUES = "[412, 455, 430, 498, 521, 476, 468, 400, 554, 489, 471, 503, 439, 462]";
const FORECAST = (expression) => plan("nightly_forecast", [
  `{id: summary, tool: statistics, args: {data: ${VALUES}}}`,
  `{id: forecast, tool: calculate, args: {expression: ${expression}}, after: [summary]}`,
  "{id: report, tool: text_stats, args: {text: The forecast is ready.}, after: [forecast]}",
]);
const WRITES = plan("weekly_report", [
  "{id: total, tool: calculate, args: {expression: 6*7}}",
  "{id: mean, tool: calculate, args: {expression: 42/6}}",
  "{id: write, tool: write_file, args: {path: report.md, content: '# Report: the total is 42.', mode: overwrite}, after: [total, mean]}",
  "{id: check, tool: calculate, args: {expression: 7*6}, after: [write]}",
]);
const WIDE = { width: 1200, height: 860 };
const SMALL = { width: 390, height: 844 };

const project = new Project(option("--bin", "target/debug/mathchain"));
const browser = await launch();
try {
  project.write("report.md", "# Report\n\nThe total is 41.\n");
  project.write("good.yaml", FORECAST("475/1.05"));
  project.write("bad.yaml", FORECAST("1/0"));
  project.write("report.yaml", WRITES);
  for (let turn = 0; turn < 3; turn++) project.call(["run", "good.yaml"]);
  const failed = project.call(["run", "bad.yaml"]).metadata.chain_id;
  const waits = project.call(["run", "report.yaml"]).metadata.chain_id;
  if (!failed || !waits) throw new Error("the plans of the pictures do not run");
  project.call(["call", "write_file"], JSON.stringify({ path: "notes.md", content: "Ask Monday." }));
  project.call(["call", "mcmc"], JSON.stringify({ log_density: "-0.5*(x0-3)**2", x0: [0] }));
  const { link } = await project.console();
  const origin = new URL(link).origin;
  const context = await browser.newContext({ viewport: WIDE });
  const opened = await context.newPage();
  await opened.goto(link);
  await opened.waitForURL(/\/console$/);
  const state = await context.storageState();

  const shot = async (name, path, { colorScheme = "light", viewport = WIDE, height, signedIn = true, act } = {}) => {
    const size = height ? { ...viewport, height } : viewport;
    const one = await browser.newContext({ viewport: size, colorScheme, storageState: signedIn ? state : undefined });
    const page = await one.newPage();
    await page.goto(origin + path);
    if (act) await act(page);
    await page.waitForLoadState("load");
    await page.screenshot({ path: join(OUT, `${name}.png`) });
    await one.close();
    console.log(name);
  };
  const first = async (page, selector) => page.locator(selector).first().click();
  const run = `/console/runs/${failed}?open=summary&open=forecast`;
  await shot("inbox-light", "/console");
  await shot("inbox-edit", "/console", { height: 1100, act: (page) => first(page, "summary:has-text('Edit the arguments')") });
  await shot("inbox-dark", "/console", { colorScheme: "dark" });
  await shot("inbox-small", "/console", { viewport: SMALL });
  await shot("run-light", run, { height: 1000 });
  await shot("run-dark", `/console/runs/${waits}`, { colorScheme: "dark", height: 900 });
  await shot("run-small", run, { viewport: SMALL });
  await shot("runs-light", "/console/runs", { height: 560 });
  await shot("tools-light", "/console/tools?q=regression", { height: 700 });
  await shot("tool-light", "/console/tools/calculate");
  await shot("artifact-light", "/console/artifacts", { height: 620, act: (page) => first(page, 'main a[href^="/console/artifacts/"]') });
  await shot("policy-light", "/console/policy", { height: 760 });
  await shot("audit-dark", "/console/audit", { colorScheme: "dark", height: 620 });
  await shot("workflows-light", "/console/workflows", { height: 480 });
} finally {
  await browser.close();
  await project.close();
}
