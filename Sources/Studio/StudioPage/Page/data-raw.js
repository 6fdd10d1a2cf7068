// A store whose model is unknown: its tables as they are, and the search for a model.

import { byID, fill, h } from "./dom.js";
import { ask, db, notify, words } from "./data-store.js";

const pageSize = 100;

/// Shows the tables, and offers to look for a model.
export async function showWithoutModel() {
  const { problem } = db.state;
  const found = h("div", { id: "found-models", "aria-live": "polite" });
  const part = h("div", { class: "raw-part" });
  fill(byID("panel"));
  fill(byID("content"), h("div", { class: "explanation compact" }, h("h1", {}, `“${db.state.name}” is shown without a model`),
    h("p", {}, `${problem.message[0].toUpperCase()}${problem.message.slice(1)}. These are its tables as they are. The file was not changed.`),
    h("div", { class: "buttons" }, h("button", { id: "find-model", class: "primary", onclick: (event) => find(event.currentTarget, found) }, "Find a Model"),
      h("span", { class: "dim" }, problem.help)), found), part);
  const reply = await ask({ tables: {} });
  if (!reply.tables) {
    fill(part, h("p", { class: "dim" }, reply.problem ? words(reply.problem) : ""));
    return;
  }
  showList(reply.tables, (table) => showTable(table, part));
  const first = reply.tables.find((one) => one.count > 0 && !/^Z_/.test(one.name)) ?? reply.tables[0];
  if (first) await select(first.name);
}

const select = (name) => byID("sidebar").querySelector(`li[title="${CSS.escape(name)}"]`)?.onshow();

function showList(tables, show) {
  const list = h("ul", { role: "listbox", "aria-label": "Tables" }, tables.map((table, index) => {
    const choose = () => {
      for (const one of list.children) {
        one.setAttribute("aria-selected", String(one === item));
        one.tabIndex = one === item ? 0 : -1;
      }
      return show(table);
    };
    const item = h("li", {
      role: "option", "aria-selected": "false", tabIndex: index === 0 ? 0 : -1, title: table.name, onclick: choose,
      onkeydown: (event) => {
        const next = { ArrowDown: item.nextSibling, ArrowUp: item.previousSibling }[event.key];
        if (!next) return;
        event.preventDefault();
        next.focus();
        next.onshow();
      },
    }, h("span", { class: "icon", "aria-hidden": "true" }, "T"), h("span", { class: "name" }, table.name),
    h("span", { class: "dim count" }, table.count.toLocaleString("en")));
    item.onshow = choose;
    return item;
  }));
  fill(byID("sidebar"), h("h2", {}, h("span", {}, "Tables")), list);
}

async function showTable(table, part, offset = 0) {
  const reply = await ask({ table: { name: table.name, offset, limit: pageSize } });
  if (!reply.cells) {
    notify(words(reply.problem), true);
    return;
  }
  const end = offset + reply.cells.length;
  const page = (text, label, to) => h("button", { disabled: to === null, "aria-label": label, onclick: () => showTable(table, part, to) }, text);
  fill(part, h("div", { class: "list-head" }, h("h2", {}, table.name),
    h("span", { class: "dim", id: "raw-range" }, table.count === 0 ? "no rows" : `${(offset + 1).toLocaleString("en")}–${end.toLocaleString("en")} of ${table.count.toLocaleString("en")}`),
    page("‹", "Previous page", offset > 0 ? Math.max(0, offset - pageSize) : null), page("›", "Next page", end < table.count ? end : null)),
  h("div", { class: "raw-rows", tabIndex: 0, role: "region", "aria-label": `Rows of ${table.name}` }, h("table", {},
    h("thead", {}, h("tr", {}, table.columns.map((column) => h("th", { scope: "col" }, column)))),
    h("tbody", {}, reply.cells.map((row) => h("tr", {}, row.map(cell)))))));
}

function cell({ type, text }) {
  if (type === "null") return h("td", {}, h("span", { class: "null" }, "NULL"));
  if (type === "blob") return h("td", {}, h("span", { class: "null" }, `${Number(text).toLocaleString("en")} bytes`));
  return h("td", { class: type === "text" ? "" : "right", title: text }, text);
}

async function find(button, found) {
  button.disabled = true;
  fill(found, h("p", { class: "dim" }, "Searching…"));
  const { models, problem } = await ask({ findModels: {} });
  button.disabled = false;
  if (!models) {
    fill(found, h("p", { class: "problem" }, problem ? words(problem) : "The search failed."));
    return;
  }
  const where = `${models.count.toLocaleString("en")} ${models.count === 1 ? "model" : "models"} below ${models.folders.map((one) => `“${one}”`).join(" and ")}`;
  fill(found, models.matches.length > 0
    ? [h("p", {}, `The store can be shown with these of ${where}:`), h("ul", { class: "members" }, models.matches.map((one, index) => h("li", {},
      h("button", { class: "link", onclick: () => use(index) }, `${one.path} (${one.origin})`))))]
    : h("p", {}, `None of ${where} has the store’s hashes${models.isIncomplete ? "; the search was not complete" : ""}.`));
  found.querySelector("button")?.focus();
}

async function use(index) {
  const { problem } = await ask({ useModel: { _0: index } });
  if (problem) notify(words(problem), true);
  else location.reload();
}
