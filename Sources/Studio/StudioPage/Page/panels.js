// The other tabs: findings, generated code, changes.

import { app, edit, isReadOnly, notify, read, reference, send } from "./app.js";
import { byID, h, refill } from "./dom.js";
import { children } from "./model.js";
import { changedElements, comparisonParts, swiftParts } from "./syntax.js";

export function findings(go) {
  if (app.findings.length === 0) return [h("p", { class: "placeholder", key: "none" }, "No findings")];
  const name = app.top?.[0].name;
  const rank = (finding) => (finding.element[0] === name ? 0 : 1);
  const list = app.findings.map((finding, number) => ({ finding, number })).sort((one, other) => rank(one.finding) - rank(other.finding));
  const limit = 200;
  const shown = list.slice(0, limit).map(({ finding, number }) => h("div", {
    class: `finding ${finding.severity}`, key: `${number} ${finding.rule} ${finding.element}`,
  },
    h("button", { class: "where", onclick: () => go(finding.element) },
      finding.element.join(" ▸ ") || "Model"),
    h("p", { class: "message" }, finding.message),
    finding.why && h("p", { class: "dim" }, finding.why),
    finding.help && h("p", { class: "dim" }, finding.help),
    finding.fixes.map((fix) => h("button", {
      class: "fix", disabled: isReadOnly(),
      title: fix.isSafe ? "Changes no version hash" : "May change the version hash or what the app does",
      onclick: () => send({ fix: { number, rule: finding.rule, element: finding.element } }),
    }, fix.title)),
    finding.rule === "missing-inverse" && finding.element.length === 2 && h("button", {
      class: "fix", disabled: isReadOnly(), title: "Uses the relationship to this entity, or adds one",
      onclick: () => addInverse(finding),
    }, "Add Inverse"),
    h("p", { class: "rule" }, `${finding.severity} · ${finding.rule}`)));
  if (list.length > limit) shown.push(h("p", { class: "dim" }, `and ${list.length - limit} more`));
  return shown;
}

function addInverse({ element: [entity, name] }) {
  edit({ addInverse: { element: reference([{ kind: "entity", name: entity, index: 0 }, { kind: "relationship", name, index: 0 }]) } });
}

let latest = 0;

/// Fills the panel with an answer, unless the user has gone elsewhere meanwhile.
async function fill(panel, request, render) {
  const number = ++latest;
  const reply = await read(request);
  // After a newer edit, this is asked again.
  if (number !== latest || !reply) return;
  refill(panel, reply.problem ? h("p", { class: "dim", key: "problem" }, reply.problem.message) : render(reply));
}

export function code(panel) {
  const name = app.top?.[0].kind === "entity" ? app.top[0].name : null;
  if (name === null || name === undefined) {
    latest++;
    refill(panel, h("p", { class: "placeholder", key: "none" }, "Select an entity to see its Swift code."));
    return;
  }
  fill(panel, { code: { entity: name } }, (reply) => (reply.code.length
    ? reply.code.flatMap((file) => [
      h("h2", { class: "line", key: `name ${file.name}` }, h("span", { class: "grow" }, file.name), copyButton(file)),
      h("pre", { class: "wrapped", tabIndex: 0, key: file.name }, swiftParts(file.text))])
    : h("p", { class: "placeholder", key: "none" }, "No code: the model has errors, or the entity has no class of its own.")));
}

/// Returns the button that copies a text with a name.
const copyButton = (file) => h("button", { "aria-label": `Copy ${file.name}`, onclick: () => copy(file) }, "Copy");

async function copy(file) {
  try {
    await navigator.clipboard.writeText(file.text);
    notify(`${file.name} copied`);
  } catch {
    notify("the browser does not allow copying; select the text instead", true);
  }
}

let base = "saved";

export function changes(panel, go) {
  const others = app.state.versions.filter((version) => version.name !== app.version).map((version) => version.name).reverse();
  const options = [["saved", "The saved file"], ["HEAD", "The last commit (HEAD)"], ...others.map((name) => [`version:${name}`, name]),
    ...(others.length > 1 ? [["all", "All other versions"]] : [])];
  if (!options.some(([value]) => value === base)) base = "saved";
  const select = h("select", {
    "aria-label": "Compare with", id: "compare", onchange: (event) => { base = event.currentTarget.value; compare(go); },
  }, options.map(([value, text]) => h("option", { value, key: value }, text)));
  select.value = base;
  const result = byID("comparison");
  refill(panel, h("div", { class: "line", key: "comparison base" }, h("label", { htmlFor: "compare", class: "dim" }, "Compare with"), select),
    result ?? h("div", { "aria-live": "polite", id: "comparison" }));
  if (base === "all") compareAll(others, () => changes(panel, go));
  else compare(go);
}

const verdictKind = (one) => (!one.isMigratable ? "bad" : one.losesValues ? "risky" : "good");

/// Tells for each version whether its stores can be migrated to the one that is shown; the newest version comes first.
async function compareAll(names, redraw) {
  const number = ++latest;
  const list = h("ul", { class: "verdicts" });
  refill(byID("comparison"), h("p", { class: "dim" }, `Stores of earlier versions, migrated to “${app.version}”:`), list);
  for (const name of names) {
    const reply = await read({ compare: { with: { version: { name } } } });
    if (number !== latest || !reply) return;
    const { comparison, problem } = reply;
    byID("comparison").querySelector(".verdicts")?.append(h("li", {},
      h("button", { class: "link", onclick: () => { base = `version:${name}`; redraw(); } }, name),
      h("span", { class: `verdict ${comparison ? verdictKind(comparison) : "bad"}` }, comparison?.verdict ?? problem.message)));
  }
}

const entityOf = (name) => children(app.root, "entity").find((one) => one.a.name === name);
const exists = ([entity, property]) => !!entityOf(entity) && (!property || (entityOf(entity).c ?? []).some((one) => one.a.name === property));

/// An element of a remark, which the user can go to if it exists.
function elementLink(element, go) {
  const names = element.split(".");
  return exists(names) ? h("button", { class: "link", onclick: () => go(names) }, element) : element;
}

function compare(go) {
  // The version that is compared with is chosen in a list that stays: it may be all of them.
  if (base === "all") {
    app.redraw();
    return;
  }
  const other = base === "saved" ? { saved: {} } : base === "HEAD" ? { revision: { name: "HEAD" } }
    : { version: { name: base.slice("version:".length) } };
  fill(byID("comparison"), { compare: { with: other } }, ({ comparison }) => [
    h("p", { class: `verdict ${verdictKind(comparison)}` }, comparison.verdict),
    comparison.obstacles.map((one) => h("div", { class: "finding error" }, h("p", { class: "message" }, elementLink(one.element, go), ` ${one.reason}`),
      one.help && h("p", { class: "dim" }, one.help))),
    comparison.risks.map((one) => h("div", { class: "finding warning" }, h("p", { class: "message" }, elementLink(one.element, go), ` ${one.reason}`))),
    changedElements(comparison.text).size > 0 && h("div", { class: "buttons" },
      h("button", { id: "show-changes", onclick: () => app.showChanges(changedElements(comparison.text)) }, "Show in the Graph")),
    h("h2", { class: "line" }, h("span", { class: "grow" }, "Differences"), copyButton({ name: "Differences", text: comparison.text })),
    h("pre", { tabIndex: 0, class: "wrapped" }, comparisonParts(comparison.text, exists, go)),
  ]);
}
