// Moving the destinations of an ordered relationship: a handle to drag, and with the arrow keys.

import { acceptDrops, byID, fill, h, touchDrag } from "./dom.js";

/// The number of destinations that the details show at once.
export const pageSize = 100;

/// What is being dragged: `{ list, index }`.
let dragged = null;

/// Returns the control that moves a destination. It has the destination's name, so that it keeps the focus when it has moved.
///
/// Key presses may be faster than the answers: each moves from where the destination is by then.
export function orderControl(list, index, { object, name, member, count }, actions) {
  return h("button", {
    class: "plain handle", id: `move-${name}-${member.uri}`, draggable: true, ...touchDrag,
    title: "Drag to move, or ↑ and ↓, PgUp and PgDn, Home and End; Return: to a position",
    "aria-label": `Move ${member.text}, ${index + 1} of ${count}`,
    onkeydown: (event) => {
      const step = { ArrowUp: -1, ArrowDown: 1, PageUp: -pageSize, PageDown: pageSize, Home: -count, End: count }[event.key];
      if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      event.stopPropagation();
      actions.onmove(object, name, member.uri, step);
    },
    onclick: () => askPosition(member, index, count, (position) => actions.onmove(object, name, member.uri, position - index)),
    ondragstart: (event) => {
      event.dataTransfer.setData("text/plain", member.text);
      event.dataTransfer.effectAllowed = "move";
      dragged = { list, index };
    },
    ondragend: () => { dragged = null; },
  }, "⠿");
}

/// Asks for the position of a destination; `done` gets its index.
function askPosition(member, index, count, done) {
  const dialog = byID("dialog");
  const input = h("input", { type: "number", min: 1, max: count, value: String(index + 1), id: "position", "aria-label": "Position", required: true });
  const form = h("form", { onsubmit: (event) => { event.preventDefault(); dialog.close(); done(Number(input.value) - 1); } },
    h("label", { class: "line" }, "Position ", input, ` of ${count.toLocaleString("en")}`),
    h("div", { class: "buttons" }, h("button", { class: "primary" }, "Move"), h("button", { type: "button", onclick: () => dialog.close() }, "Cancel")));
  dialog.className = "picker";
  dialog.setAttribute("aria-label", "Move");
  fill(dialog, h("h2", {}, `Move ${member.text}`), form);
  dialog.showModal();
  input.select();
}

/// Lets the line of a destination receive the others of its list.
export function acceptMembers(line, list, index, drop) {
  acceptDrops(line, () => dragged?.list === list && dragged.index !== index, () => {
    const { index: from } = dragged;
    dragged = null;
    drop(from, index - from);
  });
  return line;
}
