// The elements of the shown version, and references to them.

const identities = { entry: "key", constraint: "value", index: "value", fetchIndexElement: "property" };
const nameless = new Set([
  "userInfo", "uniquenessConstraints", "uniquenessConstraint", "compoundIndexes", "compoundIndex", "elements",
]);

export const propertyKinds = ["attribute", "relationship", "fetchedProperty"];

export function identity(node) {
  return nameless.has(node.k) ? null : (node.a[identities[node.k] ?? "name"] ?? null);
}

/// The steps that were made so far, by their parent, kind, name and number.
const registered = new Map();
let lastID = 0;

const keyOf = (parent, { kind, name, index }) => JSON.stringify([parent?.id ?? 0, kind, name ?? null, index ?? 0]);

/// Returns the one step for an element. Renaming changes it, so that whatever refers to the element follows; its ID stays.
function stepTo(parent, { kind, name, index }) {
  const key = keyOf(parent, { kind, name, index });
  let step = registered.get(key);
  if (!step) {
    step = name === null || name === undefined ? { kind, index } : { kind, name, index };
    // Not part of what is sent.
    Object.defineProperty(step, "id", { value: ++lastID });
    Object.defineProperty(step, "parent", { value: parent });
    registered.set(key, step);
  }
  return step;
}

/// Returns the steps that an answer names as the page has them.
export function registeredSteps(steps) {
  const result = [];
  for (const step of steps) result.push(stepTo(result.at(-1), { index: 0, ...step }));
  return result;
}

/// Notes that an element has another name.
export function follow(steps, { name, index = 0 }) {
  const step = steps.at(-1);
  if (step.id === undefined) return;
  registered.delete(keyOf(step.parent, step));
  Object.assign(step, { name, index });
  registered.set(keyOf(step.parent, step), step);
}

/// Notes that an element was deleted: its later siblings of the same kind and name have smaller numbers.
export function followDeletion(steps) {
  const step = steps.at(-1);
  if (step.id === undefined) return;
  const { kind, name } = step;
  const siblingAt = (index) => registered.get(keyOf(step.parent, { kind, name, index }));
  if (!siblingAt(step.index + 1)) return;
  registered.delete(keyOf(step.parent, step));
  let { index } = step;
  // What still refers to it refers to no element.
  step.index = -1;
  for (let next; (next = siblingAt(index + 1)); index += 1) follow([next], { name, index });
}

/// The name of an element on the page, which may differ from its name in the model.
export const idOf = (steps) => steps.at(-1)?.id ?? 0;

/// The steps of each child: its kind, its name, and its number among those of the same kind and name.
export function withSteps(node, steps) {
  const seen = new Map();
  return (node.c ?? []).map((child) => {
    const name = identity(child);
    const key = child.k + "\u0000" + name;
    const index = seen.get(key) ?? 0;
    seen.set(key, index + 1);
    return { node: child, steps: [...steps, stepTo(steps.at(-1), { kind: child.k, name, index })] };
  });
}

export const key = (steps) => JSON.stringify(steps);
export const same = (one, other) => !!one && !!other && key(normal(one)) === key(normal(other));
/// A key that is the same for references to the same element.
export const identityKey = (steps) => key(normal(steps));
const normal = (steps) => steps.map((step) => [step.kind, step.name ?? null, step.index ?? 0]);

export function find(root, steps) {
  let node = root;
  let path = [];
  for (const step of steps) {
    const found = withSteps(node, path).find((child) => same(child.steps, [...path, step]));
    if (!found) return null;
    node = found.node;
    path = found.steps;
  }
  return node;
}

/// The entity of a name with its ancestors, itself first.
export function lineage(root, name) {
  const result = [];
  const seen = new Set();
  while (name && !seen.has(name)) {
    seen.add(name);
    const entity = (root.c ?? []).find((node) => node.k === "entity" && node.a.name === name);
    if (!entity) break;
    result.push(entity);
    name = entity.a.parentEntity;
  }
  return result;
}

export const names = (root, kind) => (root.c ?? []).filter((node) => node.k === kind).map((node) => node.a.name ?? "");

export const children = (node, kind) => (node?.c ?? []).filter((child) => child.k === kind);

/// The keys of an entity's `userInfo` for its color and note in the graph, and the colors.
export const colorKey = "modelc.color";
export const noteKey = "modelc.note";
export const colors = ["red", "orange", "green", "blue", "purple", "gray"];

/// Returns the value of an entry of `userInfo`.
export const entryValue = (node, key) => children(node, "userInfo").flatMap((one) => children(one, "entry")).find((one) => one.a.key === key)?.a.value;
