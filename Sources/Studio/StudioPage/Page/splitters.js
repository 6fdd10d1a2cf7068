// The handles between the parts of the page, and the buttons that hide parts. Sizes, and what is hidden, are kept in cookies: the address,
// with its port, is another one at each start.

import { byID, isTyping } from "./dom.js";

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

/// Remembers a value for all addresses of this computer, or forgets it.
function remember(name, value) {
  document.cookie = `${name}=${value ?? ""}; path=/; max-age=${value === null ? 0 : 31536000}; samesite=strict`;
}

const remembered = (name) => Number(document.cookie.match(`(?:^|; )${name}=([0-9]+)`)?.[1]);

function setSize(one, size) {
  const { style } = document.documentElement;
  if (size === null) {
    style.removeProperty(propertyOf(one));
    remember(cookieOf(one), null);
  } else {
    const others = parts().filter((other) => other !== one && other.side === one.side).reduce((sum, other) => sum + sizeOf(other), 0);
    const whole = document.querySelector("main").getBoundingClientRect()[one.side];
    const shown = Math.round(Math.max(one.minimum, Math.min(size, whole - others - middle[one.side])));
    style.setProperty(propertyOf(one), `${shown}px`);
    remember(cookieOf(one), shown);
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
  const stored = remembered(cookieOf(one));
  if (stored) document.documentElement.style.setProperty(propertyOf(one), `${stored}px`);
}

// What is hidden.

const toggleOf = (part) => byID(`toggle-${part}`);
const isHidden = (part) => document.querySelector("main").classList.contains(`without-${part}`);

function setHidden(part, hides) {
  // The focus does not stay in what is hidden.
  if (hides && byID(part).contains(document.activeElement)) toggleOf(part).focus();
  document.querySelector("main").classList.toggle(`without-${part}`, hides);
  toggleOf(part).setAttribute("aria-expanded", String(!hides));
  describeAll();
}

function hideOrShow(part) {
  setHidden(part, !isHidden(part));
  remember(`without-${part}`, isHidden(part) ? 1 : null);
}

/// Shows a part of the page that is hidden.
export function showPart(part) {
  if (part && isHidden(part)) hideOrShow(part);
}

const describeAll = () => parts().forEach(describe);

for (const { part } of [list, details]) {
  if (remembered(`without-${part}`)) setHidden(part, true);
  toggleOf(part).addEventListener("click", () => hideOrShow(part));
}

document.addEventListener("keydown", (event) => {
  if (!event.altKey || event.ctrlKey || event.metaKey || isTyping() || document.querySelector("dialog[open]")) return;
  const part = { KeyL: "sidebar", KeyP: "side" }[event.code];
  if (!part) return;
  event.preventDefault();
  hideOrShow(part);
});

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
    if (event.key === "Enter") {
      // The button must not get the key as well.
      event.preventDefault();
      toggleOf(one.part).focus();
      hideOrShow(one.part);
      return;
    }
    const distance = (one.side === "width" ? { ArrowLeft: -step, ArrowRight: step } : { ArrowUp: -step, ArrowDown: step })[event.key];
    if (!distance) return;
    event.preventDefault();
    event.stopPropagation();
    setSize(one, sizeOf(one) + one.direction * distance);
  });
}

isStacked.addEventListener("change", describeAll);
describeAll();
