// The text of a file that is not well-formed, to be repaired on the page.

import { app, notify, send } from "./app.js";
import { byID, debounce, h } from "./dom.js";

/// As in repair.css.
const lineHeight = 18;

/// Whether the shown version can only be repaired.
export const needsRepair = () => !app.state.versions.find((version) => version.name === app.version)?.isEditable;

/// Shows the text. What is being typed is not replaced.
export async function renderRepair() {
  const content = byID("content");
  const shown = content.querySelector("#repair");
  if (shown?.dataset.version === app.version) {
    if (shown.dataset.revision === String(app.state.revision) || shown.contains(document.activeElement)) return;
  }
  const form = h("div", { id: "repair" });
  form.dataset.version = app.version;
  form.dataset.revision = String(app.state.revision);
  content.replaceChildren(form);
  const { source } = await send({ source: {} });
  if (source && form.isConnected) fill(form, source);
}

function fill(form, source) {
  const numbers = h("pre", { class: "numbers", "aria-hidden": "true" });
  const text = h("textarea", {
    id: "repair-text", value: source.text, spellcheck: false, wrap: "off", disabled: app.state.isReadOnly,
    "aria-label": "Text of the file", "aria-describedby": "repair-problems",
  });
  const list = h("div", { id: "repair-problems", role: "status" });
  const save = h("button", { id: "repair-save", class: "primary", onclick: () => repair(text, show) }, "Save Repaired File");
  const show = (found) => {
    save.disabled = found.length > 0 || app.state.isReadOnly;
    list.replaceChildren(...(found.length ? found.map((one) => problem(one, text)) : [h("p", { class: "verdict good" }, "No errors")]));
    const wrong = new Set(found.map((one) => one.line));
    const count = text.value.split("\n").length;
    numbers.replaceChildren(...Array.from({ length: count }, (_, index) =>
      h("span", { class: wrong.has(index + 1) ? "wrong" : "" }, String(index + 1))));
  };
  const check = debounce(400, async () => {
    const checked = text.value;
    const { source: found } = await send({ check: { text: checked } });
    if (found && checked === text.value) show(found.problems);
  });
  text.addEventListener("input", () => {
    save.disabled = true;
    check();
  });
  text.addEventListener("scroll", () => { numbers.scrollTop = text.scrollTop; });
  // Tab leaves the field, as everywhere; Ctrl+S saves.
  text.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "s") return;
    event.preventDefault();
    event.stopPropagation();
    repair(text, show);
  });
  form.replaceChildren(h("h1", {}, app.version),
    h("p", { class: "subtitle" }, "This file is not well-formed XML. Repair its text here; it opens in the editor once it is saved."),
    list, h("div", { class: "code" }, numbers, text), h("div", { class: "buttons" }, save));
  show(source.problems);
  const line = source.problems[0]?.line;
  if (line) text.scrollTop = Math.max(0, (line - 6) * lineHeight);
}

async function repair(text, show) {
  if (app.state.isReadOnly) return;
  const { source } = await send({ repair: { text: text.value } });
  if (!source) return;
  show(source.problems);
  notify("the text still has errors; nothing was written", true);
}

function problem(one, text) {
  const location = one.line ? `Line ${one.line}${one.column ? `, column ${one.column}` : ""}` : "File";
  return h("div", { class: "finding error" },
    h("button", { class: "where", onclick: () => go(text, one) }, location),
    h("p", { class: "message" }, one.message), one.help && h("p", { class: "dim" }, one.help));
}

/// Selects the line of an error.
function go(text, { line }) {
  if (!line) return;
  const lines = text.value.split("\n");
  const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  text.focus();
  text.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  text.scrollTop = Math.max(0, (line - 6) * lineHeight);
}
