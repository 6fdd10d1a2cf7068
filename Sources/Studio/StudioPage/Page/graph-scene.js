// What the graph shows: boxes with rows, lines between rows, and what is at a point. Knows neither the page nor how it is drawn.

import { children, colorKey, colors, entryValue, noteKey, propertyKinds, withSteps } from "./model.js";

/// Xcode's measures: an entity of n properties is 29 + 15n points high, and 128 wide unless it was widened.
export const metrics = { head: 24, row: 15, foot: 5, narrowest: 128, widest: 300, margin: 9, indentation: 20, gap: 14 };

const textType = (node) => {
  const mark = node.a.optional === "YES" ? "?" : "";
  switch (node.k) {
    case "attribute": return (node.a.composite ?? node.a.attributeType ?? "Undefined") + mark;
    case "relationship": {
      const name = node.a.destinationEntity ?? "no destination";
      return node.a.toMany === "YES" ? `[${name}]` : name + mark;
    }
    default: return `[${children(node, "fetchRequest")[0]?.a.entity ?? "no entity"}]`;
  }
};

/// Returns the box of an entity, without a position yet. `measure` returns the width of a text of a size and weight.
function box({ node, steps }, measure) {
  const rows = propertyKinds.flatMap((kind) => withSteps(node, steps).filter((item) => item.node.k === kind))
    .map((item) => ({
      kind: item.node.k, name: item.node.a.name ?? "", type: textType(item.node), steps: item.steps, node: item.node,
      isTransient: item.node.a.transient === "YES",
    }));
  const name = node.a.name ?? "";
  const natural = Math.max(measure(name, 12, true) + 2 * metrics.margin + 8,
    ...rows.map((row) => metrics.indentation + measure(row.name, 11) + metrics.gap + measure(row.type, 10) + metrics.margin));
  return {
    name, steps, node, rows, x: 0, y: 0, width: Math.ceil(Math.min(metrics.widest, Math.max(metrics.narrowest, natural))),
    height: metrics.head + rows.length * metrics.row + metrics.foot, isAbstract: node.a.isAbstract === "YES",
    color: colors.find((one) => one === entryValue(node, colorKey)) ?? null, note: entryValue(node, noteKey) ?? "",
  };
}

/// Returns the boxes and lines of a model. `position` gives the stored or remembered position of a box, if there is one.
export function makeScene(root, measure, position) {
  const boxes = withSteps(root, []).filter((item) => item.node.k === "entity").map((item) => box(item, measure));
  const byName = new Map();
  for (const one of boxes) if (!byName.has(one.name)) byName.set(one.name, one);
  const unplaced = [];
  for (const one of boxes) {
    const found = byName.get(one.name) === one ? position(one) : null;
    if (found) Object.assign(one, found);
    else unplaced.push(one);
  }
  return { boxes, byName, unplaced, lines: lines(boxes, byName) };
}

function lines(boxes, byName) {
  const result = [];
  const paired = new Set();
  for (const source of boxes) {
    const parent = byName.get(source.node.a.parentEntity);
    if (parent) result.push({ kind: "inheritance", source, target: parent, sourceRow: -1, targetRow: -1, steps: source.steps });
    source.rows.forEach((row, sourceRow) => {
      if (row.kind !== "relationship" || paired.has(row)) return;
      const target = byName.get(row.node.a.destinationEntity);
      if (!target) return;
      const targetRow = target.rows.findIndex((other) => other.kind === "relationship" && other.name === row.node.a.inverseName
        && other.node.a.inverseName === row.name && other.node.a.destinationEntity === source.name);
      if (targetRow >= 0) paired.add(target.rows[targetRow]);
      result.push({
        kind: "relationship", source, target, sourceRow, targetRow, steps: row.steps, forward: end(row.node),
        inverse: targetRow >= 0 ? end(target.rows[targetRow].node) : null, otherSteps: target.rows[targetRow]?.steps,
      });
    });
  }
  return result;
}

const end = (node) => ({ isToMany: node.a.toMany === "YES", isOptional: node.a.optional === "YES" });

const rowHeight = (one, row) => one.y + (row < 0 ? metrics.head / 2 : metrics.head + row * metrics.row + metrics.row / 2);

/// Returns where a line runs: a curve that leaves and meets boxes level, at the height of its properties.
export function route(line) {
  const { source, target } = line;
  const y1 = rowHeight(source, line.sourceRow);
  const y2 = rowHeight(target, line.targetRow);
  const [right, left] = [source.x + source.width, target.x + target.width];
  const room = 24;
  let [d1, d2] = [1, 1];
  if (source !== target) {
    if (target.x - right > room) d2 = -1;
    else if (source.x - left > room) d1 = -1;
    else if (Math.abs(source.x - target.x) < Math.abs(right - left)) [d1, d2] = [-1, -1];
  }
  const x1 = d1 > 0 ? right : source.x;
  const x2 = d2 > 0 ? left : target.x;
  const reach = d1 !== d2 ? Math.max(30, Math.abs(x2 - x1) / 2)
    : Math.min(160, 40 + Math.abs(y2 - y1) / 6) + Math.abs(x2 - x1) / 4;
  // A line from a box to itself at one height has to leave the box to be seen.
  const loop = source === target && y1 === y2 ? 14 : 0;
  return { x1, y1: y1 - loop, d1, x2, y2: y2 + loop, d2, c1: x1 + d1 * reach, c2: x2 + d2 * reach };
}

/// Returns whether a route can be seen in a rectangle.
export function crosses(path, area) {
  const left = Math.min(path.x1, path.x2, path.c1, path.c2);
  const right = Math.max(path.x1, path.x2, path.c1, path.c2);
  return left < area.x + area.width && right > area.x
    && Math.min(path.y1, path.y2) - 8 < area.y + area.height && Math.max(path.y1, path.y2) + 8 > area.y;
}

export const overlaps = (one, area) => one.x < area.x + area.width && one.x + one.width > area.x
  && one.y < area.y + area.height && one.y + one.height > area.y;

/// Returns the rectangle around boxes.
export function extent(boxes) {
  if (boxes.length === 0) return { x: 0, y: 0, width: 1, height: 1 };
  const x = Math.min(...boxes.map((one) => one.x));
  const y = Math.min(...boxes.map((one) => one.y));
  return {
    x, y, width: Math.max(...boxes.map((one) => one.x + one.width)) - x,
    height: Math.max(...boxes.map((one) => one.y + one.height)) - y,
  };
}

/// Returns the box at a point, the uppermost one first, with the number of its row.
export function boxAt(scene, x, y) {
  for (let index = scene.boxes.length - 1; index >= 0; index--) {
    const one = scene.boxes[index];
    if (x < one.x || x > one.x + one.width || y < one.y || y > one.y + one.height) continue;
    const row = Math.floor((y - one.y - metrics.head) / metrics.row);
    return { box: one, row: row >= 0 && row < one.rows.length ? row : -1 };
  }
  return null;
}

/// Returns the line within a distance of a point.
export function lineAt(scene, x, y, distance) {
  const area = { x: x - distance, y: y - distance, width: 2 * distance, height: 2 * distance };
  for (const line of scene.lines) {
    const path = route(line);
    if (!crosses(path, area)) continue;
    for (let step = 0; step <= 40; step++) {
      const [t, u] = [step / 40, 1 - step / 40];
      const px = u ** 3 * path.x1 + 3 * u * u * t * path.c1 + 3 * u * t * t * path.c2 + t ** 3 * path.x2;
      const py = (u ** 3 + 3 * u * u * t) * path.y1 + (3 * u * t * t + t ** 3) * path.y2;
      if (Math.hypot(px - x, py - y) < distance + Math.hypot(path.x2 - path.x1, path.y2 - path.y1) / 160) return line;
    }
  }
  return null;
}

/// Returns the box that is next to another one in a direction.
export function neighbor(scene, from, dx, dy) {
  const [x, y] = [from.x + from.width / 2, from.y + from.height / 2];
  let best = null;
  let least = Infinity;
  for (const one of scene.boxes) {
    if (one === from) continue;
    const [ox, oy] = [one.x + one.width / 2 - x, one.y + one.height / 2 - y];
    const along = ox * dx + oy * dy;
    const across = Math.abs(ox * dy) + Math.abs(oy * dx);
    if (along <= 0 || across > along * 2.5) continue;
    const distance = along + 2 * across;
    if (distance < least) [best, least] = [one, distance];
  }
  return best;
}
