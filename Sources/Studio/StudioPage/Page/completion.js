// Completion in the predicates of fetch requests and fetched properties: key paths of the entity, and words of the language.

import { app } from "./app.js";
import { byID, fill, h } from "./dom.js";
import { children, find, lineage } from "./model.js";

const words = ["ALL", "AND", "ANY", "BEGINSWITH", "BETWEEN", "CONTAINS", "ENDSWITH", "FALSEPREDICATE", "IN", "LIKE", "MATCHES", "NONE", "NOT", "OR",
  "SELF", "SUBQUERY", "TRUEPREDICATE", "nil"];

/// The control that is completed, with what can be inserted.
let open = null;

const list = () => byID("predicate-completions");

/// Returns what fits at the end of a text: `{ items, start }`.
export function completions(text, entity) {
  // Texts in quotes are no key paths.
  if ((text.match(/(["'])(?:\\.|(?!\1).)*\1/g) ?? []).reduce((rest, quoted) => rest.replace(quoted, ""), text).match(/["']/)) return { items: [], start: 0 };
  const [path] = /(?:#?[A-Za-z_]\w*\.)*#?(?:[A-Za-z_]\w*)?$/.exec(text);
  // Names that are reserved words begin with #.
  const written = path.slice(path.lastIndexOf(".") + 1);
  const names = path.split(".").map((name) => name.replace("#", ""));
  const prefix = names.pop().toLowerCase();
  let owner = entity;
  for (const name of names) owner = properties(owner).find((one) => one.name === name)?.destination;
  const start = text.length - written.length;
  if (path === "") return { items: [], start };
  const found = properties(owner).filter((one) => one.name.toLowerCase().startsWith(prefix)).sort((one, other) => one.name.localeCompare(other.name));
  const items = found.map((one) => ({ text: one.written, detail: one.type })).filter((one) => one.text.startsWith("#") || !written.startsWith("#"));
  if (names.length === 0 && !written.startsWith("#")) items.push(...words.filter((word) => word.toLowerCase().startsWith(prefix)).map((text) => ({ text, detail: "" })));
  return { items: items.filter((one) => one.text.toLowerCase() !== written.toLowerCase()).slice(0, 50), start };
}

const properties = (entity) => lineage(app.root, entity).flatMap((one) => [
  ...children(one, "attribute").map(({ a, p }) => ({ name: a.name ?? "", written: p ?? a.name ?? "", type: a.attributeType ?? "" })),
  ...children(one, "relationship").map(({ a, p }) => (
    { name: a.name ?? "", written: p ?? a.name ?? "", type: a.destinationEntity ?? "", destination: a.destinationEntity })),
]);

function close() {
  if (!open) return;
  open.control.removeAttribute("aria-activedescendant");
  open = null;
  list().hidden = true;
}

function draw() {
  const { control, items, chosen } = open;
  const box = control.getBoundingClientRect();
  const element = list();
  element.hidden = false;
  Object.assign(element.style, { left: `${box.left}px`, top: `${box.bottom + 2}px` });
  fill(element, items.map((item, index) => h("li", {
    role: "option", id: `predicate-completion-${index}`, "aria-selected": String(index === chosen),
    onpointerdown: (event) => { event.preventDefault(); insert(index); },
  }, h("span", { class: "completion-text" }, item.text), h("span", { class: "dim" }, item.detail))));
  const selected = element.children[chosen];
  if (selected) {
    control.setAttribute("aria-activedescendant", selected.id);
    selected.scrollIntoView({ block: "nearest" });
  }
}

function insert(index) {
  const { control, items, start } = open;
  control.setRangeText(items[index].text, start, control.selectionStart, "end");
  close();
}

/// Completes what is typed in the predicate of an element.
export function completes(control, steps) {
  control.setAttribute("aria-autocomplete", "list");
  control.setAttribute("aria-controls", "predicate-completions");
  const complete = () => {
    const { items, start } = completions(control.value.slice(0, control.selectionStart), find(app.root, steps)?.a.entity);
    close();
    if (items.length === 0) return;
    open = { control, items, start, chosen: -1 };
    draw();
  };
  control.addEventListener("input", complete);
  control.addEventListener("blur", close);
  // Before the field's own keys: Escape closes the list first.
  control.addEventListener("keydown", (event) => {
    const run = (action) => { event.preventDefault(); event.stopImmediatePropagation(); action(); };
    if (event.key === " " && event.ctrlKey) return run(complete);
    if (open?.control !== control) return undefined;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      return run(() => {
        open.chosen = (open.chosen + step + open.items.length) % open.items.length;
        draw();
      });
    }
    if (event.key === "Escape") return run(close);
    if (open.chosen >= 0 && ["Enter", "Tab"].includes(event.key)) return run(() => insert(open.chosen));
    return undefined;
  }, { capture: true });
  return control;
}
