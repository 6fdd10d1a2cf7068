// Pointer and keyboard on the canvas of the graph.

import { app, edit, isReadOnly, reference, remove } from "./app.js";
import { byID } from "./dom.js";
import {
  addEntity, fit, graph, moveBoxes, pan, primaryBox, renameInGraph, renderGraph, reveal, schedule, selectBoxes, selectedBoxes, setView,
  storePositions, toCanvas, view, zoom,
} from "./graph.js";
import { boxAt, lineAt, metrics, neighbor, overlaps } from "./graph-scene.js";

const frame = byID("graph-frame");
/// The gesture under way.
let gesture = null;
/// A move by keys that is stored after the last one.
let keyMove = null;

const distance = (event) => Math.hypot(event.clientX - gesture.startX, event.clientY - gesture.startY);
const isHandle = (box, point) => view.scale > 0.3
  && Math.hypot(point.x - box.x - box.width, point.y - box.y - metrics.head / 2) < Math.max(8, 8 / view.scale);

function hitHandle(point) {
  const candidates = [graph.hover, ...graph.selected].filter(Boolean);
  return candidates.find((box) => isHandle(box, point)) ?? null;
}

frame.addEventListener("pointerdown", (event) => {
  if (gesture || event.target.tagName === "INPUT") return;
  flushKeyMove();
  frame.focus({ preventScroll: true });
  const point = toCanvas(event.clientX, event.clientY);
  const hit = boxAt(graph.scene, point.x, point.y);
  const handle = hitHandle(point);
  gesture = { startX: event.clientX, startY: event.clientY, lastX: event.clientX, lastY: event.clientY, point, hit, kind: "press" };
  frame.setPointerCapture(event.pointerId);
  const picks = event.shiftKey || event.ctrlKey || event.metaKey;
  if (event.button === 1) gesture.kind = "pan";
  else if (event.button !== 0) gesture.kind = "none";
  else if (graph.connection?.byKey) finishConnection(hit?.box ?? null);
  else if (handle && !isReadOnly()) startConnection(handle, point);
  else if (hit) {
    gesture.connects = event.ctrlKey || event.metaKey;
    if (!picks && !graph.selected.has(hit.box)) selectBoxes([hit.box], { properties: rowOf(hit) });
  } else gesture.kind = event.shiftKey ? "band" : "background";
});

const rowOf = (hit) => (hit.row >= 0 ? [hit.box.rows[hit.row].steps] : []);

frame.addEventListener("pointermove", (event) => {
  const point = toCanvas(event.clientX, event.clientY);
  if (!gesture) return hoverAt(point);
  const moved = distance(event) > 3;
  if (gesture.kind === "press" && moved && !isReadOnly()) startDrag(event);
  if (gesture.kind === "background" && moved) gesture.kind = "pan";
  if (gesture.kind === "pan") {
    frame.classList.add("panning");
    pan(gesture.lastX - event.clientX, gesture.lastY - event.clientY);
  } else if (gesture.kind === "drag") {
    moveBoxes(shifted(gesture.boxes, point.x - gesture.point.x, point.y - gesture.point.y));
  } else if (gesture.kind === "connect") {
    Object.assign(graph.connection, { x: point.x, y: point.y, target: boxAt(graph.scene, point.x, point.y)?.box ?? null });
    schedule();
  } else if (gesture.kind === "band") {
    const { point: start } = gesture;
    graph.band = {
      x: Math.min(start.x, point.x), y: Math.min(start.y, point.y), width: Math.abs(start.x - point.x),
      height: Math.abs(start.y - point.y),
    };
    schedule();
  }
  [gesture.lastX, gesture.lastY] = [event.clientX, event.clientY];
});

function hoverAt(point) {
  const hit = boxAt(graph.scene, point.x, point.y);
  const box = hit?.box ?? (graph.hover && isHandle(graph.hover, point) ? graph.hover : null);
  frame.classList.toggle("over-box", !!box);
  frame.classList.toggle("connecting", !!graph.connection || !!box && !isReadOnly() && isHandle(box, point));
  if (graph.connection?.byKey) {
    Object.assign(graph.connection, { x: point.x, y: point.y, target: hit?.box ?? null });
    return schedule();
  }
  if (box === graph.hover) return;
  graph.hover = box;
  schedule();
}

function startDrag(event) {
  if (gesture.connects) return startConnection(gesture.hit.box, gesture.point);
  // Shift extends the selection, and the drag moves all of it.
  if (!graph.selected.has(gesture.hit.box)) selectBoxes([...selectedBoxes(), gesture.hit.box]);
  gesture.kind = "drag";
  gesture.boxes = selectedBoxes().map(({ name, x, y }) => ({ name, x, y }));
}

const shifted = (boxes, dx, dy) => boxes.map(({ name, x, y }) => ({ name, x: x + dx, y: y + dy }));

frame.addEventListener("pointerup", (event) => {
  if (!gesture) return;
  const finished = gesture;
  gesture = null;
  frame.classList.remove("panning");
  if (finished.kind === "drag") {
    storePositions(finished.boxes.map(({ name }) => name));
  } else if (finished.kind === "connect") {
    finishConnection(graph.connection?.target ?? null);
  } else if (finished.kind === "band") {
    const boxes = graph.band ? graph.scene.boxes.filter((box) => overlaps(box, graph.band)) : [];
    graph.band = null;
    selectBoxes(boxes);
    schedule();
  } else if (finished.kind === "press" && finished.hit) {
    click(finished.hit, event);
  } else if (finished.kind === "background") {
    const line = lineAt(graph.scene, finished.point.x, finished.point.y, 6 / view.scale);
    if (line?.kind === "relationship") selectBoxes([line.source], { properties: [line.steps] });
  }
});

frame.addEventListener("pointercancel", cancel);

function click(hit, event) {
  if (event.shiftKey || event.ctrlKey || event.metaKey) {
    const boxes = selectedBoxes();
    const rest = boxes.filter((box) => box !== hit.box);
    selectBoxes(rest.length < boxes.length && rest.length ? rest : [hit.box, ...rest]);
  } else {
    selectBoxes([hit.box], { properties: rowOf(hit) });
  }
}

function cancel() {
  if (gesture?.kind === "drag") {
    for (const { name } of gesture.boxes) graph.moving.delete(name);
    renderGraph("everything", graph.show);
  }
  gesture = null;
  graph.band = null;
  endConnection();
  frame.classList.remove("panning");
  schedule();
}

frame.addEventListener("dblclick", (event) => {
  if (isReadOnly() || event.target.tagName === "INPUT") return;
  const point = toCanvas(event.clientX, event.clientY);
  const hit = boxAt(graph.scene, point.x, point.y);
  if (hit) renameInGraph();
  else if (!lineAt(graph.scene, point.x, point.y, 6 / view.scale)) addEntity(point.x - metrics.narrowest / 2, point.y - metrics.head / 2);
});

frame.addEventListener("pointerleave", () => {
  if (gesture || !graph.hover) return;
  graph.hover = null;
  schedule();
});

frame.addEventListener("wheel", (event) => {
  event.preventDefault();
  const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
  if (event.ctrlKey || event.metaKey) {
    const { left, top } = frame.getBoundingClientRect();
    zoom(Math.exp(-event.deltaY * unit * 0.0022), event.clientX - left, event.clientY - top);
  } else {
    pan((event.shiftKey ? event.deltaY : event.deltaX) * unit, (event.shiftKey ? 0 : event.deltaY) * unit);
  }
}, { passive: false });

// Connections.

function startConnection(source, point) {
  if (gesture) gesture.kind = "connect";
  graph.connection = { source, x: point.x, y: point.y, target: null };
  frame.classList.add("connecting");
  hint(`Drop on the entity to connect “${source.name}” to. Esc cancels.`);
  schedule();
}

/// Lets the arrow keys choose the target.
function connectByKey() {
  const source = primaryBox();
  if (!source || isReadOnly()) return;
  startConnection(source, { x: source.x + source.width + 30, y: source.y + metrics.head / 2 });
  graph.connection.byKey = true;
  hint(`Connect “${source.name}” to: arrow keys and Return, or a click. Esc cancels.`);
  frame.focus();
}

function finishConnection(target) {
  const source = graph.connection?.source;
  endConnection();
  if (source && target) edit({ connect: { from: reference(source.steps), to: reference(target.steps) } });
}

function endConnection() {
  graph.connection = null;
  frame.classList.remove("connecting");
  hint("");
  schedule();
}

function hint(text) {
  byID("graph-hint").textContent = text;
  byID("graph-hint").hidden = text === "";
}

byID("graph-connect").addEventListener("click", connectByKey);

// Keyboard.

const directions = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

frame.addEventListener("keydown", (event) => {
  if (event.target !== frame || event.altKey || ["Shift", "Control", "Meta"].includes(event.key)) return;
  const command = event.ctrlKey || event.metaKey;
  const direction = directions[event.key];
  if (direction) {
    event.preventDefault();
    if (graph.connection?.byKey) return aim(direction);
    if (command) return moveByKey(direction, event.shiftKey ? 1 : 10);
    flushKeyMove();
    return step(direction, event.shiftKey);
  }
  flushKeyMove();
  const action = command ? { a: () => selectBoxes(graph.scene.boxes) }[event.key] : {
    Enter: () => (graph.connection?.byKey ? finishConnection(graph.connection.target) : openTable()),
    Escape: cancel, Delete: deleteSelection, Backspace: deleteSelection, "+": () => zoom(1.25), "=": () => zoom(1.25),
    "-": () => zoom(0.8), 0: fit, 1: () => zoom(1 / view.scale), r: connectByKey, R: connectByKey,
    Home: () => selectBoxes(graph.scene.boxes.slice(0, 1), { reveals: true }),
    End: () => selectBoxes(graph.scene.boxes.slice(-1), { reveals: true }),
  }[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

function step([dx, dy], extends_) {
  const from = primaryBox() ?? graph.scene.boxes[0];
  if (!from) return;
  const next = primaryBox() ? neighbor(graph.scene, from, dx, dy) : from;
  if (next) selectBoxes(extends_ ? [next, ...selectedBoxes().filter((box) => box !== next)] : [next], { reveals: true });
}

function aim([dx, dy]) {
  const { connection } = graph;
  const target = neighbor(graph.scene, connection.target ?? connection.source, dx, dy);
  if (!target) return;
  Object.assign(connection, { target, x: target.x, y: target.y + metrics.head / 2 });
  reveal(target);
}

/// Moves the selected boxes; the moves of a key that is held, or pressed repeatedly, are one undo step.
function moveByKey([dx, dy], length) {
  if (isReadOnly()) return;
  const boxes = selectedBoxes();
  if (boxes.length === 0) return;
  moveBoxes(shifted(boxes, dx * length, dy * length));
  reveal(primaryBox() ?? boxes[0]);
  clearTimeout(keyMove?.timer);
  keyMove = { names: boxes.map((box) => box.name), timer: setTimeout(flushKeyMove, 500) };
}

/// Stores a move by keys immediately.
export function flushKeyMove() {
  if (!keyMove) return undefined;
  clearTimeout(keyMove.timer);
  const { names } = keyMove;
  keyMove = null;
  return storePositions(names);
}

frame.addEventListener("blur", flushKeyMove);

function openTable() {
  setView("table", graph.show);
  document.querySelector("#content tr[aria-selected=true], #content tr[tabindex]")?.focus();
}

function deleteSelection() {
  if (isReadOnly()) return;
  const properties = app.properties;
  if (properties.length) remove(properties);
  else if (app.top?.[0].kind === "entity") remove([app.top, ...app.others]);
}
