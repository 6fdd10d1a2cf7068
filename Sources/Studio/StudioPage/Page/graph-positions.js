// The positions of the boxes of the graph.

import { app, send } from "./app.js";
import { extent } from "./graph-scene.js";
import { children } from "./model.js";

/// The positions of boxes that the model does not store, by version and entity.
const remembered = new Map();

/// Returns the positions that the model does not store.
export const positions = () => {
  if (!remembered.has(app.version)) remembered.set(app.version, new Map());
  return remembered.get(app.version);
};

/// Returns the positions that the model stores.
export function storedPositions() {
  const stored = new Map();
  for (const element of children(app.root, "elements").flatMap((one) => children(one, "element"))) {
    const [x, y] = [Number(element.a.positionX), Number(element.a.positionY)];
    const width = Number(element.a.width);
    if (!Number.isFinite(x) || !Number.isFinite(y) || stored.has(element.a.name)) continue;
    stored.set(element.a.name, width >= 40 && width <= 2000 ? { x, y, width } : { x, y });
  }
  return stored;
}

/// A box keeps its remembered position when its entity is renamed.
export function followRenaming() {
  const names = new Set(children(app.root, "entity").map((node) => node.a.name ?? ""));
  const gone = [...positions().keys()].filter((name) => !names.has(name));
  const fresh = [...names].filter((name) => !positions().has(name));
  if (gone.length === 1 && fresh.length === 1 && positions().size === names.size) {
    positions().set(fresh[0], positions().get(gone[0]));
    positions().delete(gone[0]);
  }
}

/// Places boxes in rows below others.
export function arrangeBelow(scene, boxes, others) {
  if (boxes.length === 0) return;
  const area = extent(others);
  let [x, y, height] = [area.x, others.length ? area.y + area.height + 40 : 0, 0];
  const width = Math.max(area.width, 900);
  for (const box of boxes) {
    if (x > area.x && x + box.width > area.x + width) [x, y, height] = [area.x, y + height + 28, 0];
    Object.assign(box, { x, y });
    if (scene.byName.get(box.name) === box) positions().set(box.name, { x, y });
    x += box.width + 28;
    height = Math.max(height, box.height);
  }
}

export const boxValue = (box) => ({ name: box.name, x: Math.round(box.x), y: Math.round(box.y), width: Math.round(box.width), height: box.height });
/// The boxes that lines and positions refer to: the first ones of their names.
export const named = (scene) => scene.boxes.filter((box) => scene.byName.get(box.name) === box);

/// Returns the boxes with positions that the studio has computed.
export async function layOut(scene) {
  // Room for the ends of lines.
  const room = 44;
  const boxes = named(scene).map(boxValue).map((box) => ({ ...box, width: box.width + room }));
  const reply = await send({ layout: { boxes } });
  return (reply.boxes ?? []).map((box) => ({ ...box, width: box.width - room }));
}
