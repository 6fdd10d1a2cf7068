// Returns what is wrong with the layout of the page: controls on top of each other, texts that are cut, and parts that cannot be scrolled
// to. The body of a function without arguments.

const faults = [];
const name = (element) => {
  const own = element.id ? `#${element.id}` : `${element.tagName.toLowerCase()}${[...element.classList].map((one) => `.${one}`).join("")}`;
  const text = (element.getAttribute("aria-label") ?? element.textContent).trim().slice(0, 30);
  return `${own} “${text}”`;
};
const shapes = new Map();
const style = (element) => {
  if (!shapes.has(element)) shapes.set(element, getComputedStyle(element));
  return shapes.get(element);
};
const root = document.querySelector("dialog[open], :popover-open") ?? document.body;
const isShown = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
  && !element.closest("#graph-options") && style(element).clipPath === "none";

/// A rectangle without what the boxes around an element cut off. What can be scrolled to counts as shown if `scrolled` is set.
function clipped(box, element, scrolled) {
  let { left, top, right, bottom } = box;
  for (let one = element; one && one !== document.documentElement; one = one.parentElement) {
    const { overflowX, overflowY, position } = style(one);
    const outer = one.getBoundingClientRect();
    const cuts = (overflow) => overflow !== "visible" && !(scrolled && ["auto", "scroll"].includes(overflow));
    // A part that can be scrolled must itself be shown, at least.
    if (scrolled && (["auto", "scroll"].includes(overflowX) || ["auto", "scroll"].includes(overflowY))) ({ left, top, right, bottom } = {
      left: ["auto", "scroll"].includes(overflowX) ? outer.left : left, right: ["auto", "scroll"].includes(overflowX) ? outer.right : right,
      top: ["auto", "scroll"].includes(overflowY) ? outer.top : top, bottom: ["auto", "scroll"].includes(overflowY) ? outer.bottom : bottom,
    });
    if (cuts(overflowX)) [left, right] = [Math.max(left, outer.left), Math.min(right, outer.right)];
    if (cuts(overflowY)) [top, bottom] = [Math.max(top, outer.top), Math.min(bottom, outer.bottom)];
    if (position === "fixed") break;
  }
  return { left, top, right, bottom, width: Math.max(0, right - left), height: Math.max(0, bottom - top) };
}

/// What remains of a text in the boxes that cut it for good: those within the part that can be scrolled.
function uncut(box, element) {
  let [width, height] = [true, true];
  let { left, top, right, bottom } = box;
  for (let one = element; one && one !== document.documentElement && (width || height); one = one.parentElement) {
    const { overflowX, overflowY } = style(one);
    const outer = one.getBoundingClientRect();
    if (["auto", "scroll"].includes(overflowX)) width = false;
    if (["auto", "scroll"].includes(overflowY)) height = false;
    if (width && overflowX !== "visible") [left, right] = [Math.max(left, outer.left), Math.min(right, outer.right)];
    if (height && overflowY !== "visible") [top, bottom] = [Math.max(top, outer.top), Math.min(bottom, outer.bottom)];
  }
  return { width: Math.max(0, right - left), height: Math.max(0, bottom - top) };
}

// Controls: none on top of another, all large enough for a finger, all within the window or where it can be scrolled to.
const controls = [...root.querySelectorAll("button, input, select, textarea, summary, a[href], li[role=option], [role=separator]")].filter((one) =>
  isShown(one) && !one.matches("input[type=file]"));
const seen = controls.map((element) => ({ element, box: clipped(element.getBoundingClientRect(), element, false) }))
  .filter(({ box, element }) => box.width > 1 && box.height > 1 && !element.matches(".splitter"));
for (const [index, one] of seen.entries()) {
  for (const other of seen.slice(index + 1)) {
    if (one.element.contains(other.element) || other.element.contains(one.element)) continue;
    const width = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
    const height = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
    // Fields in place of a cell and their neighbors share a border; completions lie over what is below them on purpose.
    if (width > 1.5 && height > 1.5 && !one.element.closest(".completions") && !other.element.closest(".completions")) {
      faults.push(`${name(one.element)} and ${name(other.element)} overlap`);
    }
  }
}
for (const element of controls) {
  const box = element.getBoundingClientRect();
  const reach = clipped(box, element, true);
  if (reach.width < 1 || reach.height < 1) faults.push(`${name(element)} is cut off`);
  const scrolls = document.documentElement.scrollHeight > innerHeight;
  if (reach.right > innerWidth + 1 || reach.left < -1 || !scrolls && reach.bottom > innerHeight + 1) faults.push(`${name(element)} is out of the window`);
}

// Texts: those of controls and headings are complete; others may end in an ellipsis if their whole text is told some other way.
const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
for (let node = texts.nextNode(); node; node = texts.nextNode()) {
  const element = node.parentElement;
  if (!node.data.trim() || !isShown(element) || element.closest("option, textarea, script, style")) continue;
  const range = document.createRange();
  range.selectNodeContents(node);
  const box = range.getBoundingClientRect();
  if (box.width === 0 || box.height === 0) continue;
  const shown = uncut(box, element);
  if (shown.width >= box.width - 1.5 && shown.height >= box.height - 3) continue;
  const important = element.closest("button:not(.link), label, h1, h2, th, legend, [role=columnheader], .banner, .compact");
  const hasEllipsis = [element, element.parentElement, element.parentElement?.parentElement].some((one) => one && style(one).textOverflow === "ellipsis");
  if (important && !hasEllipsis) faults.push(`“${node.data.trim().slice(0, 40)}” in ${name(important)} is cut`);
  else if (!hasEllipsis) faults.push(`“${node.data.trim().slice(0, 40)}” in ${name(element)} is cut without an ellipsis`);
  else if (shown.width < 36) faults.push(`“${node.data.trim().slice(0, 40)}” in ${name(element)} is not legible`);
}
if (document.documentElement.scrollWidth > innerWidth) faults.push(`the page is ${document.documentElement.scrollWidth} pixels wide`);
return faults;
