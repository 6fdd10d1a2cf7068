// The graph editor: what is shown of the scene, and what moves it.

import { app, edit, isReadOnly, notify, rename } from "./app.js";
import { byID, commitActive, h, isParked, park } from "./dom.js";
import { CanvasPainter, draw, measurer, readPalette } from "./graph-drawing.js";
import { download, pngBlob, svgText } from "./graph-export.js";
import { drawMinimap, startMinimap } from "./graph-minimap.js";
import { arrangeBelow, boxValue, followRenaming, layOut, named, positions, storedPositions } from "./graph-positions.js";
import { extent, makeScene, metrics } from "./graph-scene.js";
import { children, identityKey } from "./model.js";

/// The view: the point of the canvas in the upper left corner, and the pixels per point.
export const view = { x: 0, y: 0, scale: 1 };
export const graph = {
  scene: { boxes: [], lines: [], byName: new Map(), unplaced: [] },
  selected: new Set(), rows: new Set(), severities: new Map(),
  /// Set by gestures: a rectangle that selects, a connection that is drawn, the box under the pointer.
  band: null, connection: null, hover: null,
  /// The positions of boxes that are being moved, by name, until the model stores them.
  moving: new Map(),
  show: () => {}, keepsView: false, frameTimes: null, layoutTime: null,
};

const limits = { least: 0.01, most: 3 };
let palette = null;
let measure = null;
let isScheduled = false;
let shownVersion = null;

/// Draws what changed; `everything` when the model did.
export function renderGraph(scope, show) {
  graph.show = show;
  if (scope === "everything") rebuild();
  markSelection(scope === "selection" && !graph.keepsView);
}

function rebuild() {
  palette ??= readPalette(byID("graph"));
  measure = measurer(palette.font);
  followRenaming();
  const stored = storedPositions();
  const position = (box) => {
    const saved = stored.get(box.name) ?? positions().get(box.name) ?? null;
    const moving = graph.moving.get(box.name);
    return moving ? { ...saved, ...moving } : saved;
  };
  graph.scene = makeScene(app.root, measure, position);
  graph.hover = null;
  byID("graph-empty").hidden = graph.scene.boxes.length > 0;
  const { boxes, unplaced } = graph.scene;
  if (unplaced.length && unplaced.length === boxes.length) {
    const version = app.version;
    layOut(graph.scene).then((found) => {
      if (app.version !== version) return;
      for (const box of found) positions().set(box.name, { x: box.x, y: box.y });
      if (found.length || boxes.length === 0) return rebuildAndFit();
      arrangeBelow(graph.scene, unplaced, []);
      rebuildAndFit();
    });
  } else {
    arrangeBelow(graph.scene, unplaced, boxes.filter((box) => !unplaced.includes(box)));
  }
  if (shownVersion !== app.version && unplaced.length < boxes.length) fit();
  listOptions();
  byID("graph-arrange").disabled = byID("graph-connect").disabled = isReadOnly();
}

function rebuildAndFit() {
  if (app.view !== "graph") return;
  rebuild();
  markSelection();
  fit();
}

/// Stores where boxes are; boxes without a stored position get one as well, so that the whole picture is stored.
export async function storePositions(names) {
  const stored = storedPositions();
  const boxes = named(graph.scene).filter((box) => names.includes(box.name) || !stored.has(box.name)).map(boxValue);
  const sent = new Map(names.map((name) => [name, graph.moving.get(name)]));
  const reply = isReadOnly() ? { problem: {} } : await edit({ arrange: { version: app.version, boxes } });
  // A box may be on its way again.
  for (const [name, position] of sent) if (graph.moving.get(name) === position) graph.moving.delete(name);
  if (reply.problem) renderGraph("everything", graph.show);
}

/// Moves boxes to positions that the model does not have yet.
export function moveBoxes(positions) {
  for (const { name, x, y } of positions) {
    const position = { x: Math.round(x), y: Math.round(y) };
    const box = graph.scene.byName.get(name);
    if (!box) continue;
    graph.moving.set(name, position);
    Object.assign(box, position);
  }
  schedule();
}

async function arrange() {
  const start = performance.now();
  const found = await layOut(graph.scene);
  if (found.length === 0) return;
  graph.layoutTime = performance.now() - start;
  const area = extent(graph.scene.boxes);
  const boxes = found.map((box) => ({ ...box, x: Math.round(box.x + area.x), y: Math.round(box.y + area.y) }));
  await edit({ arrange: { version: app.version, boxes } });
  fit();
}

/// Adds an entity at a point and edits its name.
export async function addEntity(x, y) {
  const names = new Set(children(app.root, "entity").map((node) => node.a.name));
  let name = "Entity";
  for (let number = 1; names.has(name); number++) name = `Entity${number}`;
  const parent = { version: app.version, steps: [] };
  const operations = [{ add: { parent, kind: "entity", values: { name }, members: [] } }];
  const box = { name, x: Math.round(x), y: Math.round(y), width: metrics.narrowest, height: metrics.head + metrics.foot };
  positions().set(name, { x: box.x, y: box.y });
  // A model that stores no positions does not get any for a new entity alone.
  if (storedPositions().size) operations.push({ arrange: { version: app.version, boxes: [box] } });
  park();
  const { picks } = app;
  const reply = await edit({ group: { operations, title: "Add Entity" } });
  if (reply.problem || !isParked() || picks !== app.picks) return;
  selectBoxes([graph.scene.byName.get(name)].filter(Boolean));
  renameInGraph();
}

// Selection.

/// Selects boxes; the first one is what the inspector shows.
export function selectBoxes(boxes, { properties = [], reveals = false } = {}) {
  if (boxes.length === 0) return;
  commitActive();
  app.picks += 1;
  app.top = boxes[0].steps;
  app.others = boxes.slice(1).map((box) => box.steps);
  app.properties = properties;
  graph.keepsView = !reveals;
  graph.show("selection");
  graph.keepsView = false;
}

export const selectedBoxes = () => graph.scene.boxes.filter((box) => graph.selected.has(box));
export const primaryBox = () => graph.scene.boxes.find((box) => app.top && identityKey(box.steps) === identityKey(app.top));

function markSelection(reveals = false) {
  const keys = new Set([app.top, ...app.others].filter(Boolean).map(identityKey));
  graph.selected = new Set(graph.scene.boxes.filter((box) => keys.has(identityKey(box.steps))));
  graph.rows = new Set(app.properties.map(identityKey));
  graph.severities = new Map();
  for (const finding of app.findings) {
    if (finding.severity === "note" || graph.severities.get(finding.element[0]) === "error") continue;
    graph.severities.set(finding.element[0], finding.severity);
  }
  const primary = primaryBox();
  for (const option of byID("graph-options").children) {
    option.setAttribute("aria-selected", String(graph.selected.has(option.box)));
    if (option.box === primary) byID("graph-frame").setAttribute("aria-activedescendant", option.id);
  }
  if (reveals && primary) reveal(primary);
  schedule();
}

/// What a screen reader hears of the canvas.
function listOptions() {
  byID("graph-options").replaceChildren(...graph.scene.boxes.map((box, index) => {
    const related = graph.scene.lines.filter((line) => line.source === box || line.target === box)
      .map((line) => (line.source === box ? line.target : line.source).name);
    const option = h("div", { role: "option", id: `graph-option-${index}`, "aria-selected": "false" },
      `${box.name}, ${box.rows.length} properties${related.length ? `, connected to ${[...new Set(related)].join(", ")}` : ""}`);
    option.box = box;
    return option;
  }));
}

// The view.

const frame = () => byID("graph-frame").getBoundingClientRect();
export const toCanvas = (clientX, clientY) => {
  const { left, top } = frame();
  return { x: view.x + (clientX - left) / view.scale, y: view.y + (clientY - top) / view.scale };
};
/// Returns where a box is on the screen.
export const onScreen = (box) => {
  const { left, top } = frame();
  return {
    x: left + (box.x - view.x) * view.scale, y: top + (box.y - view.y) * view.scale, width: box.width * view.scale,
    height: box.height * view.scale,
  };
};
export const boxNamed = (name) => graph.scene.byName.get(name);

export function pan(dx, dy) {
  view.x += dx / view.scale;
  view.y += dy / view.scale;
  schedule();
}

/// Changes the scale and keeps a point of the frame where it is.
export function zoom(factor, atX = frame().width / 2, atY = frame().height / 2) {
  const scale = Math.min(limits.most, Math.max(limits.least, view.scale * factor));
  view.x += atX / view.scale - atX / scale;
  view.y += atY / view.scale - atY / scale;
  view.scale = scale;
  schedule();
}

export const fit = () => showBoxes(graph.scene.boxes);

/// Shows the entities that match the search, or have a property that does.
export function showMatches() {
  const filter = app.filter.toLowerCase();
  const isFound = (text) => text.toLowerCase().includes(filter);
  showBoxes(graph.scene.boxes.filter((box) => isFound(box.name) || box.rows.some((row) => isFound(row.name))));
}

/// Shows the graph with marks at what a comparison names.
export function showChanges(changed, show) {
  app.changed = changed;
  const removed = [...changed].filter(([name, { kind }]) => kind === "removed" && !graph.scene.byName.has(name)).map(([name]) => name);
  setView("graph", show);
  showBoxes(graph.scene.boxes.filter((box) => changed.has(box.name)));
  byID("graph-changes").hidden = false;
  byID("graph-changes").title = removed.length ? `Removed: ${removed.join(", ")}` : "";
  if (removed.length) notify(`Removed, and so not in the graph: ${removed.join(", ")}`);
}

/// Forgets the marks of a comparison, which are those of one version.
export function clearChanges() {
  app.changed = null;
  byID("graph-changes").hidden = true;
}

function hideChanges() {
  clearChanges();
  byID("graph-frame").focus();
  schedule();
}

/// Shows boxes as large as they fit, but not enlarged.
function showBoxes(boxes) {
  const { width, height } = frame();
  if (width === 0 || boxes.length === 0) return;
  shownVersion = app.version;
  const area = extent(boxes);
  view.scale = Math.min(1, Math.max(limits.least, Math.min(width / (area.width + 90), height / (area.height + 60))));
  view.x = area.x + area.width / 2 - width / 2 / view.scale;
  view.y = area.y + area.height / 2 - height / 2 / view.scale;
  schedule();
}

export function reveal(box) {
  const { width, height } = frame();
  const room = 20 / view.scale;
  const [w, t] = [width / view.scale, height / view.scale];
  view.x = Math.min(Math.max(view.x, box.x + box.width + room - w), Math.max(box.x - room, box.x + box.width + room - w));
  view.x = Math.min(view.x, box.x - room);
  view.y = Math.min(Math.max(view.y, box.y + box.height + room - t), box.y - room);
  schedule();
}

/// Draws before the next frame.
export function schedule() {
  if (isScheduled || app.view !== "graph") return;
  isScheduled = true;
  requestAnimationFrame(() => {
    isScheduled = false;
    paint();
  });
}

function paint() {
  const start = performance.now();
  const canvas = byID("graph-canvas");
  const { width, height } = frame();
  const ratio = devicePixelRatio || 1;
  const [pixels, lines] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
  if (canvas.width !== pixels || canvas.height !== lines) Object.assign(canvas, { width: pixels, height: lines });
  palette ??= readPalette(byID("graph"));
  const target = canvas.getContext("2d", { alpha: false });
  target.setTransform(1, 0, 0, 1, 0, 0);
  target.fillStyle = palette.canvas;
  target.fillRect(0, 0, pixels, lines);
  const scale = view.scale * ratio;
  target.setTransform(scale, 0, 0, scale, -view.x * scale, -view.y * scale);
  const painter = new CanvasPainter(target, palette.font);
  const area = { x: view.x, y: view.y, width: width / view.scale, height: height / view.scale };
  const filter = app.filter.toLowerCase();
  draw(painter, graph.scene, area, palette, measure ?? measurer(palette.font), {
    scale: view.scale, isSelected: (box) => graph.selected.has(box),
    isRowSelected: (row) => graph.rows.size > 0 && graph.rows.has(row.key ??= identityKey(row.steps)),
    isLineSelected: (line) => graph.rows.size > 0 && line.kind === "relationship"
      && (graph.rows.has(line.key ??= identityKey(line.steps))
        || !!line.otherSteps && graph.rows.has(line.otherKey ??= identityKey(line.otherSteps))),
    isDimmed: (box) => filter !== "" && !box.name.toLowerCase().includes(filter)
      && !box.rows.some((row) => row.name.toLowerCase().includes(filter)),
    severity: (box) => graph.severities.get(box.name) ?? null,
    change: (box) => app.changed?.get(box.name)?.kind, rowChange: (box, row) => app.changed?.get(box.name)?.properties.get(row.name),
  });
  drawGestures(painter);
  drawMinimap(graph.scene, area, palette, (box) => graph.selected.has(box));
  const zoom = `${Math.round(view.scale * 100)}%`;
  // The toolbar is arranged again when a text in it changes.
  if (byID("graph-zoom").textContent !== zoom) byID("graph-zoom").textContent = zoom;
  graph.frameTimes?.push(performance.now() - start);
}

function drawGestures(painter) {
  const { band, connection, hover } = graph;
  const lineWidth = 1.5 / view.scale;
  if (hover && !isReadOnly() && view.scale > 0.3) {
    painter.circle(hover.x + hover.width, hover.y + metrics.head / 2, 6, { fill: palette.box, stroke: palette.accent, lineWidth: 1.5 });
  }
  if (connection) {
    const { source, x, y, target } = connection;
    if (target) painter.rect(target.x - 3, target.y - 3, target.width + 6, target.height + 6, 8, { stroke: palette.accent, lineWidth: lineWidth * 2 });
    painter.path([["M", source.x + source.width, source.y + metrics.head / 2], ["L", x, y]],
      { stroke: palette.accent, lineWidth, dash: [6 / view.scale, 4 / view.scale] });
  }
  if (band) painter.rect(band.x, band.y, band.width, band.height, 0, { fill: palette.accent + "22", stroke: palette.accent, lineWidth });
}

// Names.

/// Edits the name of the selected property or entity in place.
export function renameInGraph() {
  const box = primaryBox();
  if (!box || isReadOnly()) return;
  const row = box.rows.findIndex((one) => app.properties.length && identityKey(one.steps) === identityKey(app.properties[0]));
  const item = row >= 0 ? box.rows[row] : box;
  reveal(box);
  const input = h("input", { value: item.name, "aria-label": "Name", spellcheck: false });
  const top = row >= 0 ? box.y + metrics.head + row * metrics.row - 5 : box.y - 1;
  input.style.left = `${(box.x - view.x) * view.scale}px`;
  input.style.top = `${(top - view.y) * view.scale}px`;
  input.style.width = `${Math.max(120, box.width * view.scale)}px`;
  let isFinished = false;
  const finish = async (commits) => {
    if (isFinished) return;
    isFinished = true;
    const text = input.value;
    input.remove();
    byID("graph-frame").focus({ preventScroll: true });
    if (commits && text !== item.name) await rename(item.steps, text);
  };
  input.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Enter") finish(true);
    if (event.key === "Escape") finish(false);
  });
  // The window may be left, and not the field.
  input.addEventListener("blur", () => { if (document.activeElement !== input) finish(true); });
  for (const type of ["pointerdown", "dblclick", "wheel"]) input.addEventListener(type, (event) => event.stopPropagation());
  byID("graph-frame").append(input);
  input.focus({ preventScroll: true });
  input.select();
}

// Switching between the views.

export function setView(name, show) {
  if (app.view === name) return name === "graph" ? byID("graph-frame").focus() : undefined;
  app.view = name;
  byID("content").hidden = name === "graph";
  byID("graph").hidden = name !== "graph";
  for (const one of ["table", "entities", "graph"]) byID(`view-${one}`).setAttribute("aria-pressed", String(one === name));
  show();
  if (name === "graph") {
    if (shownVersion !== app.version) fit();
    else if (primaryBox()) reveal(primaryBox());
    byID("graph-frame").focus();
  }
  return undefined;
}

startMinimap((x, y) => {
  const { width, height } = frame();
  view.x = x - width / 2 / view.scale;
  view.y = y - height / 2 / view.scale;
  schedule();
});
byID("graph-changes").addEventListener("click", hideChanges);
byID("graph-arrange").addEventListener("click", arrange);
byID("graph-fit").addEventListener("click", fit);
byID("graph-in").addEventListener("click", () => zoom(1.25));
byID("graph-out").addEventListener("click", () => zoom(0.8));
byID("graph-zoom").addEventListener("click", () => zoom(1 / view.scale));
const fileName = (ending) => `${app.version}.${ending}`;
byID("graph-svg").addEventListener("click", () => {
  const text = svgText(graph.scene, palette, measure, app.version);
  download(fileName("svg"), new Blob([text], { type: "image/svg+xml" }));
});
byID("graph-png").addEventListener("click", async () => {
  const blob = await pngBlob(graph.scene, palette, measure);
  if (blob) download(fileName("png"), blob);
  else notify("the graph is too large for a PNG file; export it as SVG", true);
});
new ResizeObserver(schedule).observe(byID("graph-frame"));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  palette = null;
  schedule();
});
