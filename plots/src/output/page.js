"use strict";
// Zoom with the wheel, move by dragging, values of the nearest point, and files of the picture. No library, no network.
(() => {
  const figure = document.querySelector("figure");
  const svg = figure.querySelector("svg");
  const tip = document.getElementById("tip");
  const mark = document.getElementById("mark");
  const status = document.getElementById("status");
  const points = JSON.parse(document.getElementById("points").textContent);
  const whole = svg.viewBox.baseVal;
  const size = { width: whole.width, height: whole.height };
  const name = document.title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "") || "plot";
  let view = { x: 0, y: 0, width: size.width, height: size.height };

  const show = () => {
    svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);
    status.textContent = `${Math.round((100 * size.width) / view.width)} %`;
  };

  const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

  // A place of the window in the units of the picture.
  const place = (event) => {
    const box = svg.getBoundingClientRect();
    return {
      x: view.x + ((event.clientX - box.left) / box.width) * view.width,
      y: view.y + ((event.clientY - box.top) / box.height) * view.height,
    };
  };

  const zoom = (factor, centre) => {
    const width = clamp(view.width * factor, size.width / 40, size.width);
    const share = width / view.width;
    view = {
      x: clamp(centre.x - (centre.x - view.x) * share, 0, size.width - width),
      y: clamp(centre.y - (centre.y - view.y) * share, 0, size.height - view.height * share),
      width,
      height: view.height * share,
    };
    show();
  };

  const middle = () => ({ x: view.x + view.width / 2, y: view.y + view.height / 2 });

  const reset = () => {
    view = { x: 0, y: 0, width: size.width, height: size.height };
    show();
  };

  const hide = () => {
    tip.hidden = true;
    mark.setAttribute("visibility", "hidden");
  };

  const tell = (point) => {
    const box = svg.getBoundingClientRect();
    const outer = figure.getBoundingClientRect();
    tip.textContent = point[2];
    tip.hidden = false;
    const left = box.left - outer.left + ((point[0] - view.x) / view.width) * box.width;
    const top = box.top - outer.top + ((point[1] - view.y) / view.height) * box.height;
    const beside = left + tip.offsetWidth + 16 > outer.width ? left - tip.offsetWidth - 12 : left + 12;
    // Places are set through the object model, which the policy of the page permits.
    tip.style.left = `${beside}px`;
    tip.style.top = `${Math.max(0, top - tip.offsetHeight / 2)}px`;
    mark.setAttribute("cx", point[0]);
    mark.setAttribute("cy", point[1]);
    mark.setAttribute("r", (6 * view.width) / size.width);
    mark.setAttribute("stroke-width", (2 * view.width) / size.width);
    mark.setAttribute("visibility", "visible");
  };

  const nearest = (at) => {
    let best = null;
    let least = (24 * view.width) / size.width;
    for (const point of points) {
      const distance = Math.hypot(point[0] - at.x, point[1] - at.y);
      if (distance < least) {
        least = distance;
        best = point;
      }
    }
    return best;
  };

  let drag = null;
  svg.addEventListener("pointerdown", (event) => {
    drag = { at: place(event), id: event.pointerId };
    svg.setPointerCapture(event.pointerId);
    hide();
  });
  svg.addEventListener("pointermove", (event) => {
    if (drag) {
      const now = place(event);
      view.x = clamp(view.x + drag.at.x - now.x, 0, size.width - view.width);
      view.y = clamp(view.y + drag.at.y - now.y, 0, size.height - view.height);
      show();
      return;
    }
    const point = nearest(place(event));
    if (point) {
      tell(point);
    } else {
      hide();
    }
  });
  const end = () => {
    drag = null;
  };
  svg.addEventListener("pointerup", end);
  svg.addEventListener("pointercancel", end);
  svg.addEventListener("pointerleave", hide);
  svg.addEventListener("dblclick", reset);
  svg.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      hide();
      zoom(event.deltaY > 0 ? 1.2 : 1 / 1.2, place(event));
    },
    { passive: false },
  );

  // With the keyboard: arrows move from point to point, plus and minus zoom, 0 shows the whole.
  let current = -1;
  const ordered = points.slice().sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  figure.addEventListener("keydown", (event) => {
    const steps = { ArrowRight: 1, ArrowLeft: -1 };
    if (event.key in steps && ordered.length > 0) {
      current = (current + steps[event.key] + ordered.length) % ordered.length;
      tell(ordered[current]);
      status.textContent = ordered[current][2].replace("\n", ", ");
    } else if (event.key === "+") {
      zoom(1 / 1.2, middle());
    } else if (event.key === "-") {
      zoom(1.2, middle());
    } else if (event.key === "0") {
      reset();
    } else if (event.key === "Escape") {
      hide();
    } else {
      return;
    }
    event.preventDefault();
  });

  // The whole picture as a file of its own.
  const source = () => {
    const copy = svg.cloneNode(true);
    copy.querySelector("#mark").remove();
    copy.setAttribute("viewBox", `0 0 ${size.width} ${size.height}`);
    copy.setAttribute("width", size.width);
    copy.setAttribute("height", size.height);
    return new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" });
  };

  const save = (blob, ending) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = `${name}.${ending}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };

  const savePng = () => {
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement("canvas");
      canvas.width = 2 * size.width;
      canvas.height = 2 * size.height;
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      URL.revokeObjectURL(image.src);
      canvas.toBlob((blob) => save(blob, "png"), "image/png");
    };
    image.src = URL.createObjectURL(source());
  };

  const actions = {
    larger: () => zoom(1 / 1.4, middle()),
    smaller: () => zoom(1.4, middle()),
    whole: reset,
    svg: () => save(source(), "svg"),
    png: savePng,
  };
  for (const button of document.querySelectorAll("button")) {
    button.addEventListener("click", actions[button.dataset.does]);
  }
  show();
})();
