// The elements of the shown version, and references to them.

const identities = { entry: "key", constraint: "value", index: "value", fetchIndexElement: "property" };
const nameless = new Set([
  "userInfo", "uniquenessConstraints", "uniquenessConstraint", "compoundIndexes", "compoundIndex", "elements",
]);

export const propertyKinds = ["attribute", "relationship", "fetchedProperty"];

export function identity(node) {
  return nameless.has(node.k) ? null : (node.a[identities[node.k] ?? "name"] ?? null);
}

/// The steps of each child: its kind, its name, and its number among those of the same kind and name.
export function withSteps(node, steps) {
  const seen = new Map();
  return (node.c ?? []).map((child) => {
    const name = identity(child);
    const key = child.k + "\u0000" + name;
    const index = seen.get(key) ?? 0;
    seen.set(key, index + 1);
    const step = name === null ? { kind: child.k, index } : { kind: child.k, name, index };
    return { node: child, steps: [...steps, step] };
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
