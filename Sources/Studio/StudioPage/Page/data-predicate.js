// The filter: a predicate with completion, its errors, and its SQL.

import { debounce, fill, h } from "./dom.js";
import { ask } from "./data-store.js";

/// Makes the field. `run` gets the predicate; `retry` reads the list again after a problem that has nothing to do with the predicate.
export function predicateField(query, run, retry) {
  const list = h("ul", { class: "completions", role: "listbox", id: "completions", hidden: true });
  const problem = h("div", { class: "predicate-problem", id: "predicate-problem", role: "alert", hidden: true });
  const input = h("input", {
    id: "predicate", value: query.predicate ?? "", spellcheck: false, autocomplete: "off", role: "combobox",
    placeholder: "Predicate, such as name CONTAINS[cd] \"a\" AND pages > 100", "aria-label": "Predicate",
    "aria-controls": "completions", "aria-expanded": "false", "aria-describedby": "predicate-problem",
  });
  let items = [];
  let start = 0;
  let chosen = -1;
  const close = () => {
    items = [];
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const draw = () => {
    list.hidden = items.length === 0;
    input.setAttribute("aria-expanded", String(items.length > 0));
    fill(list, ...items.map((item, index) => h("li", {
      role: "option", id: `completion-${index}`, "aria-selected": String(index === chosen),
      onpointerdown: (event) => { event.preventDefault(); insert(index); },
    }, h("span", { class: "completion-text" }, item.text.trim()), h("span", { class: "dim" }, item.detail))));
    const selected = list.children[chosen];
    if (selected) {
      input.setAttribute("aria-activedescendant", selected.id);
      selected.scrollIntoView({ block: "nearest" });
    }
  };
  const insert = (index) => {
    const { text } = items[index];
    const end = input.selectionStart;
    input.setRangeText(text, start, end, "end");
    close();
    complete();
  };
  const complete = debounce(60, async () => {
    const position = input.selectionStart;
    const reply = await ask({ complete: { entity: query.entity, text: input.value, position } });
    if (document.activeElement !== input || position !== input.selectionStart) return;
    ({ items, start } = reply.completions ?? { items: [], start: 0 });
    chosen = -1;
    draw();
  });
  input.addEventListener("input", () => { problem.hidden = true; input.removeAttribute("aria-invalid"); complete(); });
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && items.length) {
      event.preventDefault();
      chosen = (chosen + step + items.length) % items.length;
      draw();
    } else if (event.key === " " && event.ctrlKey) {
      event.preventDefault();
      complete();
    } else if ((event.key === "Enter" || event.key === "Tab") && items.length && chosen >= 0) {
      event.preventDefault();
      insert(chosen);
    } else if (event.key === "Enter") {
      close();
      run(input.value.trim());
    } else if (event.key === "Escape") {
      if (items.length) close();
      else if (input.value) { input.value = ""; run(""); }
    }
  });
  /// Shows an error; `focuses`: whether the user waits for it.
  const show = (error, focuses = true) => {
    problem.hidden = !error;
    if (!error) {
      fill(problem);
      input.removeAttribute("aria-invalid");
      return;
    }
    if (error.range || query.predicate) input.setAttribute("aria-invalid", "true");
    const [from, to] = error.range ?? [0, 0];
    const text = input.value;
    fill(problem,
      h("div", { class: "message" }, error.message), error.help && h("div", { class: "dim" }, error.help),
      error.range && h("code", {}, text.slice(0, from), h("mark", {}, text.slice(from, Math.max(to, from + 1)) || "⌃"), text.slice(Math.max(to, from + 1))),
      !error.range && h("button", { id: "retry", onclick: retry }, "Try Again"));
    if (error.range && focuses) {
      input.focus();
      input.setSelectionRange(from, Math.max(to, from));
    }
  };
  const element = h("div", { class: "predicate" }, h("div", { class: "predicate-line" }, input,
    h("button", { id: "run-predicate", onclick: () => run(input.value.trim()) }, "Filter"),
    h("button", { id: "clear-predicate", disabled: !query.predicate, onclick: () => { input.value = ""; run(""); } }, "Clear")),
  list, problem);
  return { element, show, input };
}

/// The SQL of a list, read when it is opened.
export function sqlView(query) {
  const text = h("pre", { tabIndex: 0, id: "sql" });
  const note = h("p", { class: "dim" });
  const details = h("details", { id: "sql-details" }, h("summary", {}, "SQL"), note, text);
  const read = async () => {
    if (!details.open) return;
    sessionStorage.setItem("modelc-sql", "1");
    const reply = await ask({ explain: { query } });
    text.textContent = reply.sql?.text ?? "";
    text.hidden = !reply.sql?.text;
    note.textContent = reply.sql?.note ?? reply.problem?.message ?? "";
    note.hidden = !note.textContent;
  };
  details.addEventListener("toggle", () => { if (details.open) read(); else sessionStorage.removeItem("modelc-sql"); });
  if (sessionStorage.getItem("modelc-sql")) details.open = true;
  return details;
}
