
// The page of a call that may ask: its request while it waits, else one line.
(() => {
  let input = {};
  client.on("input", (args) => {
    input = args;
  });
  client.on("cancelled", () => put("card", make("p", { class: "small" }, "The call was cancelled.")));
  client.on("result", (result) => {
    const waits = waitingRequest(result);
    if (waits) {
      put("card", requestCard(waits, input));
      return;
    }
    const tool = result._meta?.["mathchain/metadata"]?.tool ?? "the call";
    const state = result.isError ? badge("failed", "bad", "✗") : badge("done", "good", "✓");
    const words = texts(result).map((text) => make("pre", {}, text));
    put("card", make("details", {}, make("summary", {}, state, " ", make("code", {}, tool)), words));
  });
  client.begin("approval").catch(() => {});
})();
