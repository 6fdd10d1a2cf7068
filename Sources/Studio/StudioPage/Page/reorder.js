// Moving elements among their siblings, and dragging entities into configurations.

import { add, app, isReadOnly, reference, send } from "./app.js";
import { acceptDrops, byID, h, listen, touchDrag } from "./dom.js";
import { find, same, withSteps } from "./model.js";

/// Returns the siblings of an element of the same kind, itself included, in their order.
function siblings(steps) {
  const parent = steps.slice(0, -1);
  const node = find(app.root, parent);
  return (node ? withSteps(node, parent) : []).filter((item) => item.node.k === steps[steps.length - 1].kind);
}

/// Moves an element among its siblings. A function returns its new position from the siblings and the element's position when it is the
/// request's turn.
function move(steps, newPosition) {
  return send(() => {
    const list = siblings(steps);
    const position = newPosition(list, list.findIndex((item) => same(item.steps, steps)));
    if (isReadOnly() || position < 0 || position >= list.length) return null;
    return { edit: { operation: { move: { element: reference(steps), position } } } };
  });
}

/// Key presses may be faster than the answers: where the element that they move will be.
let heading = null;

/// Moves an element by a key press, and keeps the focus on its control.
function moveByKey(steps, position, step) {
  const siblingsID = controlID(steps, "");
  const from = heading?.siblingsID === siblingsID ? heading.position : position;
  const target = from + step;
  if (target < 0 || target >= siblings(steps).length) return;
  const own = { siblingsID, position: target };
  heading = own;
  // In the order of the key presses, so that a save that follows includes the move.
  send(() => {
    const element = siblings(steps)[from];
    return element && !isReadOnly() ? { edit: { operation: { move: { element: reference(element.steps), position: target } } } } : null;
  }).then(() => {
    byID(controlID(steps, target))?.focus();
    if (heading === own) heading = null;
  });
}

/// The page restores the focus by this when it makes the inspector anew.
const controlID = (steps, position) => `move-${JSON.stringify(steps.slice(0, -1))}-${steps[steps.length - 1].kind}-${position}`;

/// Moves an element up or down among its siblings.
export function moveBy(steps, distance) {
  return move(steps, (list, position) => (position < 0 ? -1 : position + distance));
}

/// Returns a control that moves an element: a handle to drag, and with the arrow keys.
export function moveControl(steps, label) {
  const list = siblings(steps);
  if (list.length < 2 || isReadOnly()) return null;
  const position = list.findIndex((item) => same(item.steps, steps));
  return h("button", {
    class: "plain handle", id: controlID(steps, position), "aria-label": label, title: "Drag to move, or ↑ and ↓", draggable: true, ...touchDrag,
    onkeydown: (event) => {
      const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation();
      moveByKey(steps, position, step);
    },
    ondragstart: (event) => {
      event.dataTransfer.setData("text/plain", label);
      event.dataTransfer.effectAllowed = "move";
      dragged = { parent: JSON.stringify(steps.slice(0, -1)), kind: steps[steps.length - 1].kind, steps };
    },
    ondragend: () => { dragged = null; },
  }, "⠿");
}

let dragged = null;

/// Lets an element's line receive its siblings.
export function acceptSiblings(line, steps) {
  const parent = JSON.stringify(steps.slice(0, -1));
  const fits = () => dragged && dragged.parent === parent && dragged.kind === steps[steps.length - 1].kind;
  acceptDrops(line, fits, () => {
    move(dragged.steps, (list) => list.findIndex((item) => same(item.steps, steps)));
  });
  return line;
}

/// Lets an entity of the sidebar be dragged into a configuration there.
export function dragIntoConfigurations(row, { node, steps }) {
  if (isReadOnly()) return;
  if (node.k === "entity") {
    row.draggable = true;
    listen(row, "dragstart", (event) => {
      event.dataTransfer.setData("text/plain", node.a.name ?? "");
      event.dataTransfer.effectAllowed = "copy";
      dragged = { entity: node.a.name };
    });
    listen(row, "dragend", () => { dragged = null; });
  } else if (node.k === "configuration") {
    const fits = () => dragged?.entity && !(node.c ?? []).some((member) => member.a.name === dragged.entity);
    acceptDrops(row, fits, () => add(steps, "memberEntity", { name: dragged.entity }));
  }
}
