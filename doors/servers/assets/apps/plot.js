
// The page of a plot: the picture with zoom and the values of its points, and these as a table.
(() => {
  const ZOOM_MAX = 40;
  const REACH = 24;
  const HEIGHT_MAX = 480;
  const ROWS_MAX = 200;
  const PICTURES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
  const find = (id) => document.getElementById(id);
  const [figure, view, picture, mark, tip, status] = ["figure", "view", "picture", "mark", "tip", "status"].map(find);
  let input = {};
  let tool = "";
  let points = [];
  let size = { width: 4, height: 3 };
  let place = { scale: 1, x: 0, y: 0 };
  let current = -1;
  let asked = null;

  // An image runs no script, whatever is written in it.
  const showPicture = (source) => {
    picture.src = source;
    figure.hidden = false;
  };
  picture.addEventListener("load", () => {
    if (points.length === 0) size = { width: picture.naturalWidth || 4, height: picture.naturalHeight || 3 };
    view.style.aspectRatio = `${size.width} / ${size.height}`;
    view.style.maxWidth = `${(HEIGHT_MAX * size.width) / size.height}px`;
    show();
  });

  // Shares of the picture are between 0 and 1: `x` and `y` are its part that is at the left and at the top.
  const clamp = (value, most) => Math.min(Math.max(value, 0), most);
  const show = () => {
    place.x = clamp(place.x, 1 - 1 / place.scale);
    place.y = clamp(place.y, 1 - 1 / place.scale);
    picture.style.width = `${100 * place.scale}%`;
    picture.style.left = `${-100 * place.x * place.scale}%`;
    picture.style.top = `${-100 * place.y * place.scale}%`;
    status.textContent = `${Math.round(100 * place.scale)} %`;
    view.dataset.scale = String(place.scale);
    hide();
  };
  const hide = () => {
    tip.hidden = true;
    mark.hidden = true;
  };
  const zoom = (factor, across = 0.5, down = 0.5) => {
    const before = place.scale;
    place.scale = Math.min(Math.max(before * factor, 1), ZOOM_MAX);
    place.x += across * (1 / before - 1 / place.scale);
    place.y += down * (1 / before - 1 / place.scale);
    show();
  };
  const whole = () => {
    place = { scale: 1, x: 0, y: 0 };
    show();
  };

  const inView = (event) => {
    const box = view.getBoundingClientRect();
    return { across: (event.clientX - box.left) / box.width, down: (event.clientY - box.top) / box.height };
  };
  const onView = (point) => ({
    across: (point[0] / size.width - place.x) * place.scale,
    down: (point[1] / size.height - place.y) * place.scale,
  });

  const tellPoint = (point) => {
    const { across, down } = onView(point);
    mark.hidden = false;
    tip.hidden = false;
    mark.style.left = `${100 * across}%`;
    mark.style.top = `${100 * down}%`;
    tip.textContent = seen(point[2]);
    // Beside the point, on the side where there is room.
    tip.style.left = across < 0.5 ? `${100 * across + 2}%` : "auto";
    tip.style.right = across < 0.5 ? "auto" : `${100 - 100 * across + 2}%`;
    tip.style.top = `${100 * clamp(down, 0.85)}%`;
  };

  const nearest = ({ across, down }) => {
    const box = view.getBoundingClientRect();
    let [best, least] = [null, REACH];
    for (const point of points) {
      const at = onView(point);
      const distance = Math.hypot((at.across - across) * box.width, (at.down - down) * box.height);
      if (distance < least) [best, least] = [point, distance];
    }
    return best;
  };

  let held = null;
  view.addEventListener("pointerdown", (event) => {
    held = { ...inView(event), moved: false };
    hide();
  });
  view.addEventListener("pointermove", (event) => {
    const now = inView(event);
    if (held && event.buttons > 0) {
      place.x += (held.across - now.across) / place.scale;
      place.y += (held.down - now.down) / place.scale;
      held = { ...now, moved: true };
      show();
      return;
    }
    const point = nearest(now);
    if (point) tellPoint(point);
    else hide();
  });
  view.addEventListener("pointerup", (event) => {
    const point = held && !held.moved ? nearest(inView(event)) : null;
    held = null;
    if (!point) return;
    tellPoint(point);
    // A point that a person picks is what they may ask about next.
    if (client.can("updateModelContext")) {
      client.tellModel(`The user picked a point of the plot: ${seen(point[2]).replaceAll("\n", ", ")}`).catch(() => {});
    }
  });
  view.addEventListener("pointerleave", hide);
  view.addEventListener("dblclick", whole);
  view.addEventListener(
    "wheel",
    (event) => {
      // At its whole size the page itself scrolls on.
      if (event.deltaY > 0 && place.scale === 1) return;
      event.preventDefault();
      const { across, down } = inView(event);
      zoom(event.deltaY > 0 ? 1 / 1.2 : 1.2, across, down);
    },
    { passive: false },
  );
  const step = (count) => {
    if (points.length === 0) return;
    current = (current + count + points.length) % points.length;
    tellPoint(points[current]);
    status.textContent = seen(points[current][2]).replaceAll("\n", ", ");
  };
  const keys = { "+": () => zoom(1.4), "-": () => zoom(1 / 1.4), 0: whole, Escape: hide, ArrowRight: () => step(1), ArrowLeft: () => step(-1) };
  figure.addEventListener("keydown", (event) => {
    if (!Object.hasOwn(keys, event.key)) return;
    keys[event.key]();
    event.preventDefault();
  });
  find("larger").addEventListener("click", () => zoom(1.4));
  find("smaller").addEventListener("click", () => zoom(1 / 1.4));
  find("whole").addEventListener("click", whole);

  // The table of the values: each line of a point is `name: value`.
  const showValues = () => {
    if (points.length === 0) return;
    const cells = points.map((point) => String(point[2]).split("\n").map((line) => line.split(/: (.*)/s)));
    const head = cells[0].map((cell, index) => (cell.length > 1 ? cell[0] : `value ${index + 1}`));
    const rows = cells.map((row) => row.map((cell) => cell[1] ?? cell[0]));
    const summary = make("summary", {}, `Values of ${points.length} points`);
    put("values", make("details", { open: "" }, summary, make("div", { class: "scroll" }, rowsTable(head, rows, ROWS_MAX))));
  };

  // The same plot as a page has paths and points. It is read as a document that runs nothing, and shown as an image.
  const readPage = (text) => {
    const page = new DOMParser().parseFromString(text, "text/html");
    const drawn = page.querySelector("svg");
    const listed = page.getElementById("points");
    const box = drawn?.viewBox.baseVal;
    if (!box?.width) return false;
    points = JSON.parse(listed?.textContent ?? "[]").filter((point) => Array.isArray(point) && point.length === 3);
    points.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    size = { width: box.width, height: box.height };
    drawn.querySelector("#mark")?.remove();
    drawn.setAttribute("width", size.width);
    drawn.setAttribute("height", size.height);
    const source = new XMLSerializer().serializeToString(drawn);
    showPicture(`data:image/svg+xml;charset=utf-8,${encodeURIComponent(source)}`);
    showValues();
    return true;
  };

  const refine = async () => {
    if (tool !== "plot" || !client.can("serverTools")) return;
    const theme = client.isDark() ? "dark" : input.theme ?? "light";
    if (asked === theme) return;
    asked = theme;
    try {
      const result = await client.callTool("plot", { ...input, format: "html", theme });
      const blocks = Array.isArray(result.content) ? result.content : [];
      const page = blocks.map((block) => block?.resource).find((one) => one?.mimeType === "text/html" && typeof one.text === "string");
      if (asked === theme && page) readPage(page.text);
    } catch {
      // The picture that is there stays.
    }
  };

  client.on("input", (args) => {
    input = args;
  });
  client.on("cancelled", () => {
    status.textContent = "The call was cancelled.";
  });
  client.on("context", refine);
  client.on("result", (result) => {
    const waits = waitingRequest(result);
    const content = result.structuredContent ?? {};
    const image = (Array.isArray(result.content) ? result.content : []).find((block) => block?.type === "image");
    figure.hidden = true;
    if (waits) {
      put("head", requestCard(waits, input));
      return;
    }
    tool = String(result._meta?.["mathchain/metadata"]?.tool ?? "");
    const isImage = image && PICTURES.includes(image.mimeType) && /^[A-Za-z0-9+/]+=*$/.test(image.data);
    if (isImage) showPicture(`data:${image.mimeType};base64,${image.data}`);
    const description = typeof content.description === "string" ? content.description : "";
    picture.alt = seen(description || "Picture of the result");
    put("caption", description);
    const words = texts(result, content.description);
    put("more", isImage ? make("details", {}, make("summary", {}, "Answer"), words.map((text) => make("pre", {}, text))) : words.map(passage));
    if (!result.isError) refine();
  });
  client.begin("plot").catch(() => {});
})();
