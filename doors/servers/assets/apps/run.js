
// The page of a run: what became of it, its graph, its steps.
(() => {
  const STEPS_MAX = 300;
  const ZOOM_MAX = 8;
  let input = {};

  const planSteps = () => (Array.isArray(input.plan?.steps) ? input.plan.steps : []);

  // A wheel over the graph zooms, dragging moves it, and so do the keys.
  const movable = (svg, width, height) => {
    let view = { x: 0, y: 0, scale: 1 };
    const show = () => svg.setAttribute("viewBox", `${view.x} ${view.y} ${width / view.scale} ${height / view.scale}`);
    const clamp = (value, most) => Math.min(Math.max(value, 0), Math.max(0, most));
    const move = (x, y) => {
      view.x = clamp(view.x + x, width - width / view.scale);
      view.y = clamp(view.y + y, height - height / view.scale);
      show();
    };
    const zoom = (factor, across, down) => {
      const before = view.scale;
      view.scale = Math.min(Math.max(before * factor, 1), ZOOM_MAX);
      move(across * (width / before - width / view.scale), down * (height / before - height / view.scale));
    };
    svg.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey && view.scale === 1 && event.deltaY > 0) return;
        event.preventDefault();
        const box = svg.getBoundingClientRect();
        zoom(event.deltaY > 0 ? 1 / 1.2 : 1.2, (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
      },
      { passive: false },
    );
    let held = null;
    svg.addEventListener("pointerdown", (event) => {
      held = event;
    });
    svg.addEventListener("pointermove", (event) => {
      if (!held || event.buttons === 0) return;
      const unit = width / view.scale / svg.getBoundingClientRect().width;
      move((held.clientX - event.clientX) * unit, (held.clientY - event.clientY) * unit);
      held = event;
    });
    svg.addEventListener("pointerup", () => {
      held = null;
    });
    const keys = { "+": () => zoom(1.2, 0.5, 0.5), "-": () => zoom(1 / 1.2, 0.5, 0.5), ArrowLeft: () => move(-40, 0), ArrowRight: () => move(40, 0), ArrowUp: () => move(0, -40), ArrowDown: () => move(0, 40) };
    svg.addEventListener("keydown", (event) => {
      if (!Object.hasOwn(keys, event.key)) return;
      keys[event.key]();
      event.preventDefault();
    });
  };

  const boxParts = (one, [width, height]) =>
    draw(
      "g",
      { class: `box ${one.class}`, "data-step": one.step },
      draw("title", {}, `${one.title}, ${one.tool}, ${String(one.state).replaceAll("_", " ")}`),
      draw("rect", { x: one.x, y: one.y, width, height, rx: 5 }),
      one.count > 1 ? draw("rect", { class: "pile", x: one.x + 4, y: one.y + height, width: width - 8, height: 4, rx: 2 }) : null,
      draw("text", { class: "name", x: one.x + 10, y: one.y + 17 }, one.title),
      draw("text", { class: "tool", x: one.x + 10, y: one.y + 32 }, one.tool),
      draw("text", { class: "sign", x: one.x + width - 16, y: one.y + 17 }, one.sign),
    );

  const graphParts = (graph) => {
    const { width, height } = graph;
    const label = "Graph of the steps: plus and minus zoom, arrows move";
    const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, width, height, tabindex: 0, role: "img", "aria-label": label });
    svg.append(...graph.arrows.map((one) => draw("path", { class: one.failed ? "failed" : "arrow", d: one.path })));
    const boxes = graph.boxes.map((one) => boxParts(one, graph.box));
    for (const box of boxes) {
      box.addEventListener("click", () => {
        const row = document.getElementById(`step-${box.dataset.step}`);
        row?.scrollIntoView({ block: "center" });
        row?.focus();
      });
    }
    svg.append(...boxes);
    movable(svg, width, height);
    return [graph.grouped ? make("p", { class: "small" }, "Steps that are alike stand together.") : null, make("div", { class: "scroll" }, svg)];
  };

  const stepsParts = (steps, left) => {
    const rows = steps.slice(0, STEPS_MAX).map((step) => {
      const time = typeof step.elapsed_ms === "number" ? `${step.elapsed_ms.toPrecision(3)} ms` : "";
      const cells = [make("code", {}, step.id), make("code", {}, step.tool), badge(step.state, step.class, step.sign), time, step.items ?? "", (step.after ?? []).join(", ")];
      return make("tr", { id: `step-${step.id}`, tabindex: -1 }, cells.map((cell) => make("td", {}, cell)));
    });
    const head = ["step", "tool", "state", "time", "items", "after"].map((name) => make("th", { scope: "col" }, name));
    const more = left > 0 ? make("p", { class: "small" }, `${left} more steps, all done`) : null;
    return [make("h2", {}, "Steps"), make("div", { class: "scroll" }, make("table", {}, make("thead", {}, make("tr", {}, head)), make("tbody", {}, rows))), more];
  };

  // Without the facts of the server, the plan has the names of the steps.
  const plainSteps = (result) => {
    const isDone = !result.isError;
    return planSteps().map((step) => ({
      id: String(step?.id ?? ""),
      tool: String(step?.tool ?? ""),
      state: isDone ? "done" : "not told",
      class: isDone ? "good" : "quiet",
      sign: isDone ? "✓" : "·",
    }));
  };

  client.on("input", (args) => {
    input = args;
    const names = planSteps();
    if (names.length > 0) put("head", make("p", {}, badge("running", "runs", "▸"), ` ${names.length} steps`));
  });
  client.on("cancelled", () => put("head", make("p", {}, badge("cancelled", "bad", "✗"))));
  client.on("result", (result) => {
    const facts = result._meta?.["mathchain/run"];
    const content = result.structuredContent ?? {};
    const waits = waitingRequest(result);
    const state = facts?.state ?? (waits ? "suspended" : result.isError ? "failed" : "succeeded");
    const kind = facts?.class ?? (waits ? "waits" : result.isError ? "bad" : "good");
    const sign = { good: "✓", bad: "✗", waits: "!" }[kind] ?? "·";
    const name = facts?.plan ?? input.plan?.id ?? "plan";
    const id = facts?.run ?? content.chain_id;
    const counts = Object.entries(facts?.counts ?? {}).map(([one, count]) => `${count} ${one.replaceAll("_", " ")}`);
    put("head", make("h1", {}, badge(state, kind, sign), " ", name), make("p", { class: "small" }, id ? `run ${id}` : "", counts.length > 0 ? `: ${counts.join(", ")}` : ""));
    put("request", waits ? requestCard(waits, null) : null);
    put("graph", facts?.graph ? graphParts(facts.graph) : null);
    const steps = facts?.steps ?? plainSteps(result);
    put("steps", steps.length > 0 ? stepsParts(steps, facts?.left_out ?? 0) : null);
    const error = content.error && !waits ? make("p", { class: "error" }, content.error.message ?? "") : null;
    const outputs = content.outputs === undefined ? null : make("pre", {}, JSON.stringify(content.outputs, null, 1));
    put("more", error, make("details", {}, make("summary", {}, "Answer"), outputs ?? texts(result).map(passage)));
  });
  client.begin("run").catch(() => {});
})();
