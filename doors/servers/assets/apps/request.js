
// A call that waits for the operator, as its answer describes it. It shows and never decides: a click here is a call of the client, which is
// no proof of a person.
const REQUEST_ROWS = [
  ["as role", "role"],
  ["agent", "agent"],
  ["run", "run"],
  ["step", "step"],
  ["asks because", "reason"],
  ["resources", "resources"],
  ["opens", "opens"],
  ["destroys", "destroys"],
  ["about", "subject"],
];
// Arguments that are a change: what goes and what comes.
const REMOVED = "old_string";
const ADDED = ["new_string", "content"];

const waitingRequest = (result) => {
  const error = result.structuredContent?.error;
  return error?.code === "approval_required" ? error : null;
};

const changed = (text, sign) =>
  String(text)
    .split("\n")
    .map((line) => `${sign}${line}`);

// Lines of a change, each in the colour of its sign.
const changeLines = (lines) => {
  const kind = { "+": "added", "-": "removed" };
  return make("pre", { class: "change" }, lines.map((line) => make("span", { class: kind[line[0]] ?? "kept" }, line, "\n")));
};

const argumentParts = (tool, args) => {
  const parts = [];
  // What goes stands before what comes.
  const place = (name) => (name === REMOVED ? 1 : ADDED.includes(name) ? 2 : 0);
  const ordered = Object.entries(args).sort(([a], [b]) => place(a) - place(b));
  for (const [name, value] of ordered) {
    let shown = make("code", {}, value);
    if (typeof value === "string" && name === REMOVED) shown = changeLines(changed(value, "-"));
    else if (typeof value === "string" && ADDED.includes(name)) shown = changeLines(changed(value, "+"));
    else if (typeof value === "string" && name === "patch") shown = changeLines(value.split("\n"));
    else if (typeof value === "string" && value.includes("\n")) shown = make("pre", {}, value);
    parts.push(make("dt", {}, name), make("dd", {}, shown));
  }
  return parts.length > 0 ? make("dl", {}, parts) : make("p", {}, "no arguments");
};

const requestCard = (error, input) => {
  const request = error.request ?? {};
  const id = String(request.id ?? error.approval_id ?? "");
  const command = `mathchain approve ${id}`;
  const rows = [];
  for (const [label, name] of REQUEST_ROWS) {
    const values = [request[name] ?? []].flat();
    for (const value of values) rows.push(make("dt", {}, label), make("dd", {}, value));
  }
  const until = Number(request.expires_ms);
  if (until) rows.push(make("dt", {}, "until"), make("dd", {}, new Date(until).toLocaleString()));
  // A step's arguments are those of the call that it makes, not those of the plan.
  const args = request.arguments ?? (request.step ? {} : input ?? {});
  const page = typeof request.console === "string" && /^https?:/.test(request.console) ? request.console : null;
  let open = null;
  if (page && client.can("openLinks")) {
    open = make("button", { type: "button" }, "Open in the console");
    open.addEventListener("click", () => client.openLink(page).catch(() => {}));
  }
  return make(
    "section",
    { class: "card waits", "aria-label": "Request" },
    make("h1", {}, badge("waits for approval", "waits", "!"), " ", make("code", {}, request.tool ?? "the call")),
    make("p", {}, "It has not run. This page decides nothing: the operator does, at a terminal", page ? " or in the console" : "", "."),
    make("dl", {}, rows),
    make("h2", {}, "Arguments"),
    argumentParts(request.tool, args),
    make("p", { class: "small" }, "How a file would change is shown where it is decided: ", make("code", {}, `mathchain approvals show ${id}`)),
    make("p", { class: "command" }, make("code", { tabindex: "0", "aria-label": "Command" }, command), " ", open),
    page ? make("p", { class: "small" }, page) : null,
  );
};
