// The whole graph, small, with the part of it that is in sight.

import { byID } from "./dom.js";
import { extent } from "./graph-scene.js";

/// Smaller graphs are seen as a whole.
const leastBoxes = 40;
/// Pixels around the graph.
const margin = 6;

/// How points of the graph are shown: `{ scale, x, y }`.
let shown = null;

/// Draws the map. `area` is the part of the graph that is in sight.
export function drawMinimap(scene, area, palette, isSelected) {
  const map = byID("graph-minimap");
  map.hidden = scene.boxes.length < leastBoxes;
  if (map.hidden) return;
  const ratio = devicePixelRatio || 1;
  const { clientWidth: width, clientHeight: height } = map;
  const [pixels, lines] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
  if (map.width !== pixels || map.height !== lines) Object.assign(map, { width: pixels, height: lines });
  const all = extent(scene.boxes);
  const scale = Math.min((width - 2 * margin) / all.width, (height - 2 * margin) / all.height);
  shown = { scale, x: all.x - (width / scale - all.width) / 2, y: all.y - (height / scale - all.height) / 2 };
  const target = map.getContext("2d");
  target.setTransform(ratio, 0, 0, ratio, 0, 0);
  target.clearRect(0, 0, width, height);
  const toMinimap = (one) => [(one.x - shown.x) * scale, (one.y - shown.y) * scale, Math.max(1.5, one.width * scale), Math.max(1.5, one.height * scale)];
  for (const box of scene.boxes) {
    target.fillStyle = isSelected(box) ? palette.accent : box.color ? palette[`tint-${box.color}`] : palette.dim;
    target.fillRect(...toMinimap(box));
  }
  target.strokeStyle = palette.accent;
  target.lineWidth = 1.5;
  target.strokeRect(...toMinimap(area));
}

/// Lets the map be clicked and dragged. `center` gets the point of the graph to show in the middle.
export function startMinimap(center) {
  const map = byID("graph-minimap");
  const go = (event) => {
    const { left, top } = map.getBoundingClientRect();
    center(shown.x + (event.clientX - left) / shown.scale, shown.y + (event.clientY - top) / shown.scale);
  };
  map.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !shown) return;
    event.preventDefault();
    event.stopPropagation();
    map.setPointerCapture(event.pointerId);
    map.onpointermove = go;
    map.onlostpointercapture = () => { map.onpointermove = null; };
    go(event);
  });
  for (const type of ["dblclick", "wheel", "pointermove", "pointerup"]) map.addEventListener(type, (event) => event.stopPropagation());
}
