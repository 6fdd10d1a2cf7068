// Moving the destinations of an ordered relationship: a handle to drag, and with the arrow keys.

import { h } from "./dom.js";

/// What is being dragged: `{ list, index }`.
let dragged = null;

/// Returns the control that moves a destination. It has the destination's name, so that it keeps the focus when it has moved.
///
/// Key presses may be faster than the answers: each moves by one place from where the destination is by then.
export function orderControl(list, index, { object, name, member, count }, actions) {
  return h("button", {
    class: "plain handle", id: `move-${name}-${member.uri}`, draggable: true, title: "Drag to move, or ↑ and ↓",
    "aria-label": `Move ${member.text}, ${index + 1} of ${count}`,
    onkeydown: (event) => {
      const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      event.stopPropagation();
      actions.onmove(object, name, member.uri, step);
    },
    ondragstart: (event) => {
      event.dataTransfer.setData("text/plain", member.text);
      event.dataTransfer.effectAllowed = "move";
      dragged = { list, index };
    },
    ondragend: () => { dragged = null; },
  }, "⠿");
}

/// Lets the line of a destination receive the others of its list.
export function acceptMembers(line, list, index, drop) {
  const fits = () => dragged?.list === list && dragged.index !== index;
  line.addEventListener("dragover", (event) => {
    if (!fits()) return;
    event.preventDefault();
    line.classList.add("drop");
  });
  line.addEventListener("dragleave", () => line.classList.remove("drop"));
  line.addEventListener("drop", (event) => {
    line.classList.remove("drop");
    if (!fits()) return;
    event.preventDefault();
    const { index: from } = dragged;
    dragged = null;
    drop(from, index - from);
  });
  return line;
}
