// Draws a scene through a painter: the canvas on the page, or an SVG for export.

import { crosses, metrics, overlaps, route } from "./graph-scene.js";
import { colors } from "./model.js";

/// Returns the colors of the current theme, from the style sheet.
export function readPalette(element) {
  const style = getComputedStyle(element);
  const value = (name) => style.getPropertyValue(`--${name}`).trim();
  return Object.fromEntries([
    "canvas", "canvas-dot", "box", "box-line", "head", "head-abstract", "head-text", "text", "dim", "accent", "accent-soft",
    "relationship", "inheritance", "kind-attribute", "kind-relationship", "kind-fetched", "mark-error", "mark-warning", "good", "warning",
    ...colors.map((color) => `tint-${color}`),
  ].map((name) => [name, value(name)]).concat([["font", style.fontFamily]]));
}

let context;
const widths = new Map();

/// Returns the width of a text, which is measured once.
export function measurer(font) {
  context ??= document.createElement("canvas").getContext("2d");
  return (text, size, isBold = false) => {
    const key = `${isBold ? "b" : "n"}${font}\u0000${text}`;
    let width = widths.get(key);
    if (width === undefined) {
      if (widths.size > 50000) widths.clear();
      context.font = `${isBold ? "600" : "400"} 100px ${font}`;
      width = context.measureText(text.slice(0, 300)).width / 100;
      widths.set(key, width);
    }
    return width * size;
  };
}

const fits = new Map();

/// Returns a text, cut with an ellipsis if it is too wide.
export function fitted(text, width, size, isBold, measure) {
  if (measure(text, size, isBold) <= width) return text;
  const key = `${text}\u0000${Math.round(width)}\u0000${size}\u0000${isBold}`;
  let result = fits.get(key);
  if (result !== undefined) return result;
  const letters = [...text.slice(0, 300)];
  let [low, high] = [0, letters.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (measure(letters.slice(0, middle).join("") + "…", size, isBold) <= width) low = middle;
    else high = middle - 1;
  }
  result = low > 0 ? letters.slice(0, low).join("") + "…" : "";
  if (fits.size > 20000) fits.clear();
  fits.set(key, result);
  return result;
}

/// Paints on a canvas.
export class CanvasPainter {
  constructor(target, font) {
    this.target = target;
    this.font = font;
  }

  rect(x, y, width, height, radii, { fill, stroke, lineWidth = 1 }) {
    const { target } = this;
    target.beginPath();
    target.roundRect(x, y, width, height, radii);
    this.finish(fill, stroke, lineWidth);
  }

  path(commands, { fill, stroke, lineWidth = 1, dash = [] }) {
    const { target } = this;
    target.beginPath();
    for (const [command, ...numbers] of commands) {
      if (command === "M") target.moveTo(...numbers);
      else if (command === "L") target.lineTo(...numbers);
      else if (command === "C") target.bezierCurveTo(...numbers);
      else target.closePath();
    }
    if (dash.length) target.setLineDash(dash);
    this.finish(fill, stroke, lineWidth);
    if (dash.length) target.setLineDash([]);
  }

  circle(x, y, radius, { fill, stroke, lineWidth = 1 }) {
    this.target.beginPath();
    this.target.arc(x, y, radius, 0, 2 * Math.PI);
    this.finish(fill, stroke, lineWidth);
  }

  text(text, x, y, { size, color, weight = "400", align = "left", isItalic = false }) {
    const { target } = this;
    const font = `${isItalic ? "italic " : ""}${weight} ${size}px ${this.font}`;
    if (this.lastFont !== font) target.font = this.lastFont = font;
    target.fillStyle = color;
    target.textAlign = align;
    target.fillText(text, x, y);
  }

  finish(fill, stroke, lineWidth) {
    const { target } = this;
    if (fill) {
      target.fillStyle = fill;
      target.fill();
    }
    if (stroke) {
      target.strokeStyle = stroke;
      target.lineWidth = lineWidth;
      target.stroke();
    }
  }
}

/// Draws what lies in an area. `look`: what is selected, and how large a point is on the screen.
export function draw(painter, scene, area, palette, measure, look) {
  const isFar = look.scale < 0.38;
  for (const line of scene.lines) {
    const path = route(line);
    if (crosses(path, area)) drawLine(painter, line, path, palette, look, isFar);
  }
  for (const box of scene.boxes) {
    if (!overlaps(box, area)) continue;
    if (isFar) drawFarBox(painter, box, palette, measure, look);
    else drawBox(painter, box, palette, measure, look);
  }
}

function drawLine(painter, line, path, palette, look, isFar) {
  const isSelected = look.isLineSelected(line);
  const stroke = isSelected ? palette.accent : palette[line.kind];
  const lineWidth = (isSelected ? 2 : 1.3) * (isFar ? Math.min(3, 0.5 / look.scale) : 1);
  painter.path([["M", path.x1, path.y1], ["C", path.c1, path.y1, path.c2, path.y2, path.x2, path.y2]], { stroke, lineWidth });
  if (isFar) return;
  if (line.kind === "inheritance") {
    const back = path.x2 + path.d2 * 11;
    painter.path([["M", path.x2, path.y2], ["L", back, path.y2 - 6], ["L", back, path.y2 + 6], ["Z"]],
      { fill: palette.canvas, stroke, lineWidth });
    return;
  }
  drawEnd(painter, line.forward, path.x2, path.y2, path.d2, stroke, lineWidth, palette);
  if (line.inverse) drawEnd(painter, line.inverse, path.x1, path.y1, path.d1, stroke, lineWidth, palette);
  else painter.circle(path.x1, path.y1, 2.5, { fill: stroke });
}

/// Crow's foot notation: how many objects a relationship leads to.
function drawEnd(painter, end, x, y, d, stroke, lineWidth, palette) {
  const bar = (distance) => [["M", x + d * distance, y - 5], ["L", x + d * distance, y + 5]];
  const commands = end.isToMany
    ? [["M", x, y - 5], ["L", x + d * 10, y], ["L", x, y + 5]] : bar(6);
  if (!end.isOptional) commands.push(...bar(end.isToMany ? 13 : 10));
  painter.path(commands, { stroke, lineWidth });
  if (end.isOptional) painter.circle(x + d * (end.isToMany ? 13.5 : 11), y, 3.2, { fill: palette.canvas, stroke, lineWidth });
}

const headColor = (box, palette) => (box.color ? palette[`tint-${box.color}`] : box.isAbstract ? palette["head-abstract"] : palette.head);

/// A frame around a box that a comparison names.
function drawChange(painter, box, palette, look) {
  const kind = look.change?.(box);
  if (!kind) return;
  const lineWidth = Math.max(3, 2 / look.scale);
  painter.rect(box.x - lineWidth, box.y - lineWidth, box.width + 2 * lineWidth, box.height + 2 * lineWidth, 8,
    { stroke: kind === "added" ? palette.good : palette.warning, lineWidth });
}

const outline = (box, palette, look) => (look.isSelected(box)
  ? { stroke: palette.accent, lineWidth: Math.max(2, 1.2 / look.scale) } : { stroke: palette["box-line"], lineWidth: Math.max(1, 0.6 / look.scale) });

function drawBox(painter, box, palette, measure, look) {
  const { x, y, width, height, rows } = box;
  const [margin, indentation] = [metrics.margin, metrics.indentation];
  painter.rect(x, y, width, height, 6, { fill: palette.box });
  painter.rect(x, y, width, metrics.head, [6, 6, 0, 0], { fill: headColor(box, palette) });
  const mark = look.severity(box);
  const room = width - 2 * margin - (mark ? 14 : 0) - (box.note ? 14 : 0);
  painter.text(fitted(box.name, room, 12, true, measure), x + margin, y + 16, {
    size: 12, weight: "600", color: palette["head-text"], isItalic: box.isAbstract,
  });
  if (mark) painter.circle(x + width - margin - 3, y + metrics.head / 2, 3.5, { fill: palette[`mark-${mark}`] });
  if (box.note) {
    const left = x + width - margin - 8 - (mark ? 14 : 0);
    painter.path([[7, 4], [10, 8], [13, 8], [16, 5]].flatMap(([top, length]) => [["M", left, y + top + 1], ["L", left + length, y + top + 1]]),
      { stroke: palette["head-text"], lineWidth: 1 });
  }
  rows.forEach((row, index) => {
    const top = y + metrics.head + index * metrics.row;
    if (look.rowChange?.(box, row)) painter.rect(x + 1, top, 4, metrics.row, 0, { fill: look.rowChange(box, row) === "added" ? palette.good : palette.warning });
    if (look.isRowSelected(row)) painter.rect(x + 1, top, width - 2, metrics.row, 0, { fill: palette["accent-soft"] });
    const kind = { attribute: "kind-attribute", relationship: "kind-relationship" }[row.kind] ?? "kind-fetched";
    painter.circle(x + margin + 3, top + metrics.row / 2, 2.6, { fill: palette[kind] });
    const space = width - indentation - margin;
    const name = fitted(row.name, space, 11, false, measure);
    painter.text(name, x + indentation, top + 11.3, { size: 11, color: palette.text, isItalic: row.isTransient });
    const left = space - measure(name, 11) - 10;
    const type = left > 24 ? fitted(row.type, left, 10, false, measure) : "";
    if (type) painter.text(type, x + width - margin, top + 11.2, { size: 10, color: palette.dim, align: "right" });
  });
  painter.rect(x, y, width, height, 6, outline(box, palette, look));
  drawChange(painter, box, palette, look);
  if (look.isDimmed(box)) painter.rect(x, y, width, height, 6, { fill: palette.canvas + "b0" });
}

const names = new Map();

/// Returns the lines of a name that is read from afar, and the size of its letters: as large as fits, but not larger than needed.
function farName(name, width, height, scale, measure) {
  const key = `${name}\u0000${Math.round(width)}\u0000${Math.round(height)}\u0000${scale.toFixed(3)}`;
  const cached = names.get(key);
  if (cached) return cached;
  // Names are wrapped where their words begin.
  const words = name.slice(0, 120).split(/(?<=[a-z0-9])(?=[A-Z])|(?<=_)/);
  let best = { lines: [name], size: 0 };
  for (let count = 1; count <= Math.min(words.length, 4); count++) {
    const lines = wrapped(words, count, measure);
    const widest = Math.max(...lines.map((line) => measure(line, 1, true)), 0.1);
    const size = Math.min(width / widest, height / (1.15 * lines.length), 10 / scale, 60);
    if (size > best.size * 1.05) best = { lines, size };
  }
  // Not so small that it could not be read: an ellipsis is better.
  best.size = Math.max(best.size, Math.min(6.5 / scale, height));
  if (names.size > 5000) names.clear();
  names.set(key, best);
  return best;
}

/// Returns words in a number of lines of similar widths.
function wrapped(words, count, measure) {
  const total = words.reduce((sum, word) => sum + measure(word, 1, true), 0);
  const lines = [];
  let [line, width] = ["", 0];
  for (const word of words) {
    const added = measure(word, 1, true);
    if (line && lines.length < count - 1 && width + added / 2 > total / count) {
      lines.push(line);
      [line, width] = ["", 0];
    }
    line += word;
    width += added;
  }
  return [...lines, line];
}

/// From afar only names can be read.
function drawFarBox(painter, box, palette, measure, look) {
  const { x, y, width, height } = box;
  painter.rect(x, y, width, height, 6, { fill: headColor(box, palette), ...outline(box, palette, look) });
  drawChange(painter, box, palette, look);
  const { lines, size } = farName(box.name, width - 8, height - 6, look.scale, measure);
  lines.forEach((line, index) => painter.text(fitted(line, width - 8, size, true, measure), x + width / 2,
    y + height / 2 + size * (0.35 + 1.15 * (index - (lines.length - 1) / 2)), { size, weight: "600", color: palette["head-text"], align: "center" }));
  if (look.isDimmed(box)) painter.rect(x, y, width, height, 6, { fill: palette.canvas + "b0" });
}
