// The graph as a file: SVG, or PNG.

import { h } from "./dom.js";
import { CanvasPainter, draw } from "./graph-drawing.js";
import { extent } from "./graph-scene.js";

const margin = 24;
const plainLook = {
  scale: 1, isSelected: () => false, isRowSelected: () => false, isLineSelected: () => false, isDimmed: () => false,
  severity: () => null,
};

const namespace = "http://www.w3.org/2000/svg";
const number = (value) => String(Math.round(value * 100) / 100);

/// Makes elements of an SVG document; texts become text nodes.
class SVGPainter {
  constructor(root, font) {
    this.root = root;
    this.font = font;
  }

  add(name, attributes, { fill = "none", stroke, lineWidth }) {
    const element = document.createElementNS(namespace, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, typeof value === "number" ? number(value) : value);
    element.setAttribute("fill", fill);
    if (stroke) {
      element.setAttribute("stroke", stroke);
      element.setAttribute("stroke-width", number(lineWidth ?? 1));
    }
    this.root.append(element);
    return element;
  }

  rect(x, y, width, height, radii, style) {
    if (!Array.isArray(radii)) return this.add("rect", { x, y, width, height, rx: radii }, style);
    const [radius] = radii;
    const d = `M${number(x)} ${number(y + height)}v${number(radius - height)}q0 ${-radius} ${radius} ${-radius}h${number(width - 2 * radius)}`
      + `q${radius} 0 ${radius} ${radius}v${number(height - radius)}z`;
    return this.add("path", { d }, style);
  }

  path(commands, style) {
    const d = commands.map(([command, ...numbers]) => command + numbers.map(number).join(" ")).join("");
    return this.add("path", { d }, style);
  }

  circle(cx, cy, r, style) { return this.add("circle", { cx, cy, r }, style); }

  text(text, x, y, { size, color, weight = "400", align = "left", isItalic = false }) {
    const element = this.add("text", { x, y, "font-size": size, "font-weight": weight }, { fill: color });
    element.setAttribute("text-anchor", { left: "start", center: "middle", right: "end" }[align]);
    if (isItalic) element.setAttribute("font-style", "italic");
    // XML does not allow control characters.
    element.textContent = text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");
  }
}

/// Returns the whole graph as the text of an SVG file.
export function svgText(scene, palette, measure, title) {
  const area = framed(scene);
  const svg = document.createElementNS(namespace, "svg");
  svg.setAttribute("width", area.width);
  svg.setAttribute("height", area.height);
  svg.setAttribute("viewBox", [area.x, area.y, area.width, area.height].join(" "));
  svg.setAttribute("font-family", palette.font);
  const heading = document.createElementNS(namespace, "title");
  heading.textContent = title;
  svg.append(heading);
  const painter = new SVGPainter(svg, palette.font);
  painter.rect(area.x, area.y, area.width, area.height, 0, { fill: palette.canvas });
  draw(painter, scene, area, palette, measure, plainLook);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(svg)}\n`;
}

/// Returns the whole graph as a PNG, two pixels per point as far as browsers can.
export function pngBlob(scene, palette, measure) {
  const area = framed(scene);
  const scale = Math.min(2, 16000 / Math.max(area.width, area.height), Math.sqrt(120e6 / (area.width * area.height)));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.floor(area.width * scale));
  canvas.height = Math.max(1, Math.floor(area.height * scale));
  const target = canvas.getContext("2d");
  target.scale(scale, scale);
  target.translate(-area.x, -area.y);
  const painter = new CanvasPainter(target, palette.font);
  painter.rect(area.x, area.y, area.width, area.height, 0, { fill: palette.canvas });
  draw(painter, scene, area, palette, measure, plainLook);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

function framed(scene) {
  const area = extent(scene.boxes);
  // Lines beside the outermost boxes reach beyond them.
  return { x: area.x - 3 * margin, y: area.y - margin, width: area.width + 6 * margin, height: area.height + 2 * margin };
}

/// Offers a file for download.
export function download(name, blob) {
  const address = URL.createObjectURL(blob);
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
