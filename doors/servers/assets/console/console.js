// Brings an open page up to date, without which every page works: it asks for the page again when something was recorded, and changes what
// differs. One tab of a browser has the stream of events and tells the others, since a browser has six connections to an address.
"use strict";

(() => {
  const LEAST_MS = 1000; // between two requests for the page
  const channel = "BroadcastChannel" in window ? new BroadcastChannel("mathchain-console") : null;
  const isLive = document.body.hasAttribute("data-live");
  let stream = null, release = null, asked = 0, timer = 0, busy = false;

  // --- what differs ---

  // Elements are the same where they have one id, or one name at one place.
  const isSame = (a, b) => a.nodeType === b.nodeType && a.nodeName === b.nodeName && (a.id || "") === (b.id || "");

  // What a person is writing or has opened stays as it is.
  function isHeld(element) {
    if (element.nodeType !== 1) return false;
    if (element.hasAttribute("data-keep")) return true;
    const isField = element.matches("input:not([type=hidden]), textarea, select");
    return isField && (element === document.activeElement || element.value !== (element.defaultValue ?? element.value));
  }

  function changeAttributes(old, next) {
    for (const { name } of [...old.attributes]) {
      const isOpen = name === "open" && old.nodeName === "DETAILS";
      if (!next.hasAttribute(name) && !isOpen) old.removeAttribute(name);
    }
    for (const { name, value } of [...next.attributes]) {
      if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    }
  }

  function change(old, next) {
    if (isHeld(old) || old.isEqualNode(next)) return;
    if (old.nodeType !== 1) { old.nodeValue = next.nodeValue; return; }
    changeAttributes(old, next);
    changeChildren(old, next);
  }

  function changeChildren(old, next) {
    let at = old.firstChild;
    for (const wanted of [...next.childNodes]) {
      let found = at;
      if (wanted.id) {
        found = [...old.children].find((one) => one.id === wanted.id && one.nodeName === wanted.nodeName) || null;
      } else if (found && (!isSame(found, wanted) || found.id)) {
        found = null;
      }
      if (!found) {
        old.insertBefore(document.importNode(wanted, true), at);
        continue;
      }
      if (found !== at) old.insertBefore(found, at);
      else at = at.nextSibling;
      change(found, wanted);
    }
    while (at) {
      const gone = at;
      at = at.nextSibling;
      // A message about what was done, or a field that is being written, is not taken away.
      const stays = gone.nodeType === 1 && (gone.matches(".told, .copy") || gone.contains(document.activeElement) && isHeld(document.activeElement));
      if (!stays) gone.remove();
    }
  }

  async function refresh() {
    if (busy || document.hidden) { asked = document.hidden ? 1 : asked; return; }
    busy = true;
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" }, redirect: "manual" });
      if (!answer.ok) {
        say("Not up to date: reload the page");
        return;
      }
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      for (const id of ["main", "top"]) {
        const [old, next] = [document.getElementById(id), page.getElementById(id)];
        if (old && next) change(old, next);
      }
      say("");
      prepare();
    } catch {
      say("Not connected: trying again");
    } finally {
      busy = false;
    }
  }

  // Many changes in a short time are one request.
  function ask() {
    if (timer) return;
    timer = setTimeout(() => { timer = 0; refresh(); }, LEAST_MS);
  }

  function say(text) {
    const place = document.getElementById("live");
    if (place && place.textContent !== text) place.textContent = text;
  }

  // --- the stream ---

  function open() {
    if (stream) return;
    stream = new EventSource("/console/live");
    stream.addEventListener("changed", () => { ask(); channel?.postMessage("changed"); });
    stream.addEventListener("here", () => say(""));
    stream.addEventListener("error", () => say("Not connected: trying again"));
  }

  function close() {
    stream?.close();
    stream = null;
    release?.();
    release = null;
  }

  // The tab that holds the lock has the stream; when it is left, another gets the lock.
  function listen() {
    if (!isLive) return;
    if (navigator.locks && channel) {
      navigator.locks.request("mathchain-console-stream", () => new Promise((done) => { release = done; open(); }));
    } else {
      open();
    }
  }

  if (channel) channel.onmessage = () => { if (isLive) ask(); };
  document.addEventListener("visibilitychange", () => { if (!document.hidden && asked) { asked = 0; ask(); } });
  // A page that is left keeps no connection, also where the browser keeps the page for the way back.
  addEventListener("pagehide", close);
  addEventListener("pageshow", (event) => { if (event.persisted) { listen(); ask(); } });

  // --- small helps ---

  function prepare() {
    for (const block of document.querySelectorAll("pre[data-copy]")) {
      if (block.previousElementSibling?.classList.contains("copy") || !navigator.clipboard) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "copy";
      button.textContent = "Copy";
      button.addEventListener("click", async () => {
        await navigator.clipboard.writeText(block.textContent);
        button.textContent = "Copied";
      });
      block.before(button);
    }
  }

  // What one types is checked as the button does, after a pause; the answer replaces the last one.
  for (const form of document.querySelectorAll("form[data-check]")) {
    let pause = 0, last = null;
    form.addEventListener("input", () => {
      clearTimeout(pause);
      pause = setTimeout(async () => {
        last?.abort();
        last = new AbortController();
        const body = new URLSearchParams(new FormData(form));
        body.set("act", "check");
        try {
          const answer = await fetch(form.action, { method: "POST", body, signal: last.signal });
          const page = new DOMParser().parseFromString(await answer.text(), "text/html");
          const [old, next] = [form.dataset.check, form.dataset.check].map((id, at) => (at ? page : document).getElementById(id));
          if (old && next) old.replaceChildren(...[...next.childNodes].map((node) => document.importNode(node, true)));
        } catch (error) {
          if (error.name !== "AbortError") say("Not connected: trying again");
        }
      }, 400);
    });
  }

  // A form is sent once.
  document.addEventListener("submit", (event) => {
    if (event.target.dataset.sent) event.preventDefault();
    event.target.dataset.sent = "1";
    setTimeout(() => delete event.target.dataset.sent, 5000);
  });

  // A graph is moved by holding it.
  document.addEventListener("pointerdown", (event) => {
    const graph = event.target.closest?.("[data-pan]");
    if (!graph || event.pointerType !== "mouse" || event.target.closest("a")) return;
    const from = [event.clientX + graph.scrollLeft, event.clientY + graph.scrollTop];
    graph.classList.add("held");
    const move = (now) => { graph.scrollLeft = from[0] - now.clientX; graph.scrollTop = from[1] - now.clientY; };
    const end = () => { graph.classList.remove("held"); removeEventListener("pointermove", move); };
    addEventListener("pointermove", move);
    addEventListener("pointerup", end, { once: true });
  });

  prepare();
  listen();
})();
