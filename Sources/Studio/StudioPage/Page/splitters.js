// The handles between the parts of the page. Widths are kept in a cookie: the address, with its port, is another one at each start.

import { byID } from "./dom.js";

const step = 16;
/// What is left for the middle, in pixels.
const middle = 240;

const parts = [
  { handle: "split-sidebar", part: "sidebar", property: "--sidebar-width", minimum: 120, direction: 1 },
  { handle: "split-side", part: "side", property: "--side-width", minimum: 200, direction: -1 },
];

const widthOf = ({ part }) => byID(part).getBoundingClientRect().width;

function setWidth(one, width) {
  const { style } = document.documentElement;
  if (width === null) {
    style.removeProperty(one.property);
    document.cookie = `${one.handle}=; path=/; max-age=0; samesite=strict`;
  } else {
    const others = parts.filter((other) => other !== one).reduce((sum, other) => sum + widthOf(other), 0);
    const shown = Math.round(Math.max(one.minimum, Math.min(width, innerWidth - others - middle)));
    style.setProperty(one.property, `${shown}px`);
    document.cookie = `${one.handle}=${shown}; path=/; max-age=31536000; samesite=strict`;
  }
  describe(one);
}

const describe = (one) => byID(one.handle).setAttribute("aria-valuenow", String(Math.round(widthOf(one))));

for (const one of parts) {
  const handle = byID(one.handle);
  const stored = Number(document.cookie.match(`(?:^|; )${one.handle}=([0-9]+)`)?.[1]);
  if (stored) setWidth(one, stored);
  handle.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
    const [start, width] = [event.clientX, widthOf(one)];
    handle.onpointermove = (move) => setWidth(one, width + one.direction * (move.clientX - start));
    handle.onlostpointercapture = () => { handle.onpointermove = null; };
  });
  handle.addEventListener("dblclick", () => setWidth(one, null));
  handle.addEventListener("keydown", (event) => {
    const distance = { ArrowLeft: -step, ArrowRight: step }[event.key];
    if (!distance) return;
    event.preventDefault();
    event.stopPropagation();
    setWidth(one, widthOf(one) + one.direction * distance);
  });
  handle.setAttribute("aria-valuemin", String(one.minimum));
  describe(one);
}
