"use strict";
// The bridge between a page and the client that shows it: JSON-RPC by messages, as MCP Apps of 2026-01-26 has it. One source for all pages.
const client = (() => {
  const VERSION = "2026-01-26";
  const HEIGHT_MIN = 40;
  const HEIGHT_MAX = 720;
  const PATIENCE_MS = 30000;
  // Looks that a client may give; anything else it sends is ignored, and so is a value that could load something.
  const LOOK = /^--(color|font|border-radius)-[a-z0-9-]{1,40}$/;
  const waiting = new Map();
  const listeners = { input: [], result: [], cancelled: [], context: [] };
  let next = 1;
  let context = {};
  let capabilities = {};
  let told = "";

  // Who shows the page has an origin that the page cannot know; what is sent came from there.
  const send = (message) => window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const notify = (method, params) => send({ method, params });

  const request = (method, params) =>
    new Promise((resolve, reject) => {
      const id = next++;
      const late = setTimeout(() => {
        waiting.delete(id);
        reject(new Error(`the client did not answer ${method}`));
      }, PATIENCE_MS);
      waiting.set(id, { resolve, reject, late });
      send({ id, method, params });
    });

  const settle = (message) => {
    const asked = waiting.get(message.id);
    if (!asked) return;
    waiting.delete(message.id);
    clearTimeout(asked.late);
    if (message.error) {
      asked.reject(new Error(String(message.error.message ?? "the client refused")));
    } else {
      asked.resolve(message.result ?? {});
    }
  };

  const answer = (message) => {
    if (message.method === "ping" || message.method === "ui/resource-teardown") {
      send({ id: message.id, result: {} });
    } else {
      send({ id: message.id, error: { code: -32601, message: "the page has no such method" } });
    }
  };

  const tell = (kind, value) => {
    for (const listener of listeners[kind]) listener(value);
  };

  const isDark = () => {
    const stated = context.theme;
    if (stated === "dark" || stated === "light") return stated === "dark";
    return window.matchMedia("(prefers-color-scheme: dark)").matches;
  };

  const take = (change) => {
    if (!change || typeof change !== "object") return;
    context = { ...context, ...change };
    const root = document.documentElement;
    root.dataset.theme = isDark() ? "dark" : "light";
    const looks = change.styles?.variables ?? {};
    // A ground without its text colour could hide every word.
    const isWhole = looks["--color-background-primary"] && looks["--color-text-primary"];
    for (const [name, value] of Object.entries(looks)) {
      const isColor = name.startsWith("--color-");
      const isSound = typeof value === "string" && value.length < 200 && !/url|[;{}\\]/i.test(value);
      if (LOOK.test(name) && isSound && (isWhole || !isColor)) root.style.setProperty(name, value);
    }
    tell("context", context);
    measure();
  };

  // The height that the page would like: what it has, between bounds, and never more than the client offers.
  const measure = () => {
    const main = document.querySelector("main");
    const box = main.getBoundingClientRect();
    const offered = Number(context.containerDimensions?.maxHeight) || HEIGHT_MAX;
    const most = Math.max(HEIGHT_MIN, Math.min(HEIGHT_MAX, offered));
    const height = Math.min(Math.max(Math.ceil(box.height), HEIGHT_MIN), most);
    const size = { width: Math.ceil(box.width), height };
    const text = JSON.stringify(size);
    if (text === told) return;
    told = text;
    notify("ui/notifications/size-changed", size);
  };

  const methods = {
    "ui/notifications/tool-input": (params) => tell("input", params?.arguments ?? {}),
    "ui/notifications/tool-result": (params) => tell("result", params ?? {}),
    "ui/notifications/tool-cancelled": (params) => tell("cancelled", params ?? {}),
    "ui/notifications/host-context-changed": take,
  };

  window.addEventListener("message", (event) => {
    const message = event.data;
    // Another frame may send messages too.
    if (event.source !== window.parent || message?.jsonrpc !== "2.0") return;
    if (message.method === undefined) {
      settle(message);
    } else if (message.id !== undefined && message.id !== null) {
      answer(message);
    } else if (Object.hasOwn(methods, message.method)) {
      methods[message.method](message.params);
    }
  });

  return {
    // Hears of `input`, `result`, `cancelled` and `context`.
    on: (kind, listener) => listeners[kind].push(listener),
    isDark,
    // Whether the client does something: `serverTools`, `openLinks`, `updateModelContext`.
    can: (name) => capabilities[name] !== undefined,
    callTool: (name, args) => request("tools/call", { name, arguments: args }),
    openLink: (url) => request("ui/open-link", { url }),
    // What a model is told with the next message of the user.
    tellModel: (text) => request("ui/update-model-context", { content: [{ type: "text", text }] }),
    // Begins, once every listener is there.
    begin: async (name) => {
      const appInfo = { name: `mathchain-${name}`, version: "1" };
      const appCapabilities = { availableDisplayModes: ["inline", "fullscreen"] };
      const begun = await request("ui/initialize", { appInfo, appCapabilities, protocolVersion: VERSION });
      capabilities = begun.hostCapabilities ?? {};
      take(begun.hostContext ?? {});
      notify("ui/notifications/initialized", {});
      new ResizeObserver(measure).observe(document.querySelector("main"));
      measure();
    },
  };
})();
