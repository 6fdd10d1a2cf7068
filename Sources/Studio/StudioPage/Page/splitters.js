// The handles between the parts of the page. Sizes are kept in a cookie: the address, with its port, is another one at each start.

import { byID } from "./dom.js";

const step = 16;
/// What is left for the middle, in pixels.
const middle = { width: 240, height: 120 };

/// Whether the details are below the middle, as in studio.css.
const isStacked = matchMedia("(max-width: 980px)");

const list = { handle: "split-sidebar", part: "sidebar", side: "width", minimum: 120, direction: 1 };
const details = { handle: "split-side", part: "side", side: "width", minimum: 200, direction: -1 };
const detailsBelow = { handle: "split-side", part: "side", side: "height", minimum: 80, direction: -1 };

const parts = () => [list, isStacked.matches ? detailsBelow : details];
const partOf = (handle) => parts().find((one) => one.handle === handle.id);

const sizeOf = ({ part, side }) => byID(part).getBoundingClientRect()[side];
const propertyOf = ({ part, side }) => `--${part}-${side}`;
/// Versions before heights could be set stored widths by the handle.
const cookieOf = ({ handle, side }) => (side === "width" ? handle : `${handle}-${side}`);

function setSize(one, size) {
  const { style } = document.documentElement;
  if (size === null) {
    style.removeProperty(propertyOf(one));
    document.cookie = `${cookieOf(one)}=; path=/; max-age=0; samesite=strict`;
  } else {
    const others = parts().filter((other) => other !== one && other.side === one.side).reduce((sum, other) => sum + sizeOf(other), 0);
    const whole = document.querySelector("main").getBoundingClientRect()[one.side];
    const shown = Math.round(Math.max(one.minimum, Math.min(size, whole - others - middle[one.side])));
    style.setProperty(propertyOf(one), `${shown}px`);
    document.cookie = `${cookieOf(one)}=${shown}; path=/; max-age=31536000; samesite=strict`;
  }
  describe(one);
}

function describe(one) {
  const handle = byID(one.handle);
  handle.setAttribute("aria-orientation", one.side === "width" ? "vertical" : "horizontal");
  handle.setAttribute("aria-valuemin", String(one.minimum));
  handle.setAttribute("aria-valuenow", String(Math.round(sizeOf(one))));
  if (one.part === "side") handle.setAttribute("aria-label", one.side === "width" ? "Width of the details" : "Height of the details");
}

for (const one of [list, details, detailsBelow]) {
  const stored = Number(document.cookie.match(`(?:^|; )${cookieOf(one)}=([0-9]+)`)?.[1]);
  if (stored) document.documentElement.style.setProperty(propertyOf(one), `${stored}px`);
}

for (const { handle: id } of [list, details]) {
  const handle = byID(id);
  handle.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
    const one = partOf(handle);
    const coordinate = (of) => (one.side === "width" ? of.clientX : of.clientY);
    const [start, size] = [coordinate(event), sizeOf(one)];
    handle.onpointermove = (move) => setSize(one, size + one.direction * (coordinate(move) - start));
    handle.onlostpointercapture = () => { handle.onpointermove = null; };
  });
  handle.addEventListener("dblclick", () => setSize(partOf(handle), null));
  handle.addEventListener("keydown", (event) => {
    const one = partOf(handle);
    const distance = (one.side === "width" ? { ArrowLeft: -step, ArrowRight: step } : { ArrowUp: -step, ArrowDown: step })[event.key];
    if (!distance) return;
    event.preventDefault();
    event.stopPropagation();
    setSize(one, sizeOf(one) + one.direction * distance);
  });
}

const describeAll = () => parts().forEach(describe);
isStacked.addEventListener("change", describeAll);
describeAll();
