
// Parts of pages. Whatever a result says is a text node: nothing of it is read as markup.
const SVG = document.querySelector("svg").namespaceURI;
// Characters that a reader would not see, or that turn text around.
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]/gu;
const TEXT_MAX = 20000;

const seen = (value) => {
  const text = typeof value === "string" ? value : JSON.stringify(value) ?? "";
  const shown = text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)} …` : text;
  return shown.replace(UNSEEN, (one) => `\\u{${one.codePointAt(0).toString(16)}}`);
};

const fill = (element, attributes, children) => {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  for (const child of children.flat()) {
    if (child === null || child === undefined) continue;
    element.append(child instanceof Node ? child : document.createTextNode(seen(child)));
  }
  return element;
};
const make = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);
const draw = (name, attributes = {}, ...children) => fill(document.createElementNS(SVG, name), attributes, children);

const put = (id, ...children) => {
  const place = document.getElementById(id);
  place.replaceChildren();
  return fill(place, {}, children);
};

const badge = (state, kind, sign) =>
  make("span", { class: `state ${kind}` }, `${sign} ${String(state).replaceAll("_", " ")}`);

// The texts of a result, without those that are given.
const texts = (result, ...without) =>
  (Array.isArray(result.content) ? result.content : [])
    .filter((block) => block?.type === "text" && typeof block.text === "string")
    .map((block) => block.text)
    .filter((text) => !without.includes(text));

// Several lines as they are, others in a line.
const passage = (text) => make(text.includes("\n") ? "pre" : "p", {}, text);

const rowsTable = (head, rows, most) => {
  const names = head.map((name) => make("th", { scope: "col" }, name));
  const lines = rows.slice(0, most).map((row) => make("tr", {}, row.map((cell) => make("td", {}, cell))));
  const left = rows.length - lines.length;
  const table = make("table", {}, make("thead", {}, make("tr", {}, names)), make("tbody", {}, lines));
  return [table, left > 0 ? make("p", { class: "small" }, `${left} more rows`) : null];
};
