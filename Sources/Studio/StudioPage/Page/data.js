// The data browser: what is shown when, the toolbar, shortcuts.

import { byID, commitActive, fill, h, isParked, isTyping, park } from "./dom.js";
import { ask, current, db, entityNamed, notify, takeInvalid, upload, words } from "./data-store.js";
import { copyCells, pasteCells } from "./data-clipboard.js";
import { chooseFrom, errorCount, identifier, showConflicts } from "./data-edit.js";
import { readFindings, showFindings } from "./data-findings.js";
import { showHelp, showProblem } from "./data-help.js";
import { showHistory } from "./data-history.js";
import { importControl } from "./data-import.js";
import { DataTable } from "./data-list.js";
import { pageSize } from "./data-order.js";
import { predicateField, sqlView } from "./data-predicate.js";
import { showWithoutModel } from "./data-raw.js";
import { showSelection } from "./data-selection.js";
import { showSidebar } from "./data-sidebar.js";
import { fillZones, showState } from "./data-toolbar.js";
import { showObject, showValue } from "./data-viewer.js";
import { awaitStore, watch } from "./data-watch.js";
import { startOverflow, uncover } from "./overflow.js";

let table;
let field;
let host;

// Going from list to list.

/// Shows a list, with the way back to the ones before it.
function go(query, title, entry = {}) {
  if (entry.fresh) db.trail = [];
  db.trail.push({ query, title, row: entry.row ?? 0, column: entry.column ?? 0 });
  return show();
}

function back(index = db.trail.length - 2) {
  if (index < 0) return undefined;
  db.trail.length = index + 1;
  return show();
}

const numberTitle = (total) => `${total.toLocaleString("en")} ${total === 1 ? "object" : "objects"}`;

async function show() {
  // What is being typed belongs to what was shown.
  commitActive();
  const entry = current();
  db.view = "list";
  const { query } = entry;
  field = predicateField(query, (predicate) => {
    const { predicate: _, ...rest } = query;
    entry.query = { ...rest, ...(predicate ? { predicate } : {}) };
    entry.row = 0;
    show().then(() => { if (db.trail.includes(entry) && !document.querySelector("#predicate[aria-invalid]")) byID("grid").focus(); });
  }, () => redraw());
  host = h("div", { class: "grid-host" });
  const crumbs = db.trail.map((one, index) => (index === db.trail.length - 1 ? h("span", { "aria-current": "page" }, one.title)
    : [h("button", { class: "link", onclick: () => back(index) }, one.title), h("span", { class: "dim", "aria-hidden": "true" }, "›")]));
  const address = (format) => `export?format=${format}&query=${encodeURIComponent(JSON.stringify(query))}`;
  const entity = entityNamed(query.entity);
  const tools = h("div", { class: "list-tools", id: "list-tools", role: "toolbar", "aria-label": "List" },
    h("span", { class: "space" }),
    db.state.isEditable && [
      h("button", { id: "create", "data-overflow": "5", disabled: entity.isAbstract, onclick: () => create() }, "New"),
      h("button", { id: "delete", "data-overflow": "4", onclick: () => remove() }, "Delete"),
      importControl(query.entity, async (request) => showReply(await ask(request)))],
    h("a", { class: "button", id: "export-csv", "data-overflow": "2", href: address("csv"), download: "" }, "CSV"),
    h("a", { class: "button", id: "export-json", "data-overflow": "1", href: address("json"), download: "" }, "JSON"));
  startOverflow(tools);
  fill(byID("content"),
    h("div", { class: "list-head" },
      h("button", { id: "back", disabled: db.trail.length < 2, title: "Back (Alt+←)", "aria-label": "Back", onclick: () => back() }, "←"),
      h("nav", { class: "crumbs", "aria-label": "Breadcrumbs" }, crumbs.flat()), h("span", { id: "total", class: "dim" }), tools),
    field.element, sqlView(query), host);
  table = new DataTable(host, {
    onselect: () => showPanel(),
    onsort: sort,
    onfollow: follow,
    onopen: (row, column) => open(row, column),
    onview: (row, column) => showValue(row.uri, column.name),
    onedit: (row, column) => edit(row, column),
    ondelete: () => { if (db.state.isEditable) remove(); },
    onproblem: (problem, isFirst) => { field.show(problem, isFirst); byID("total").textContent = ""; if (!problem.range) notify(words(problem), true); },
    ontotal: (total) => { byID("total").textContent = numberTitle(total); field.show(null); },
  });
  renderSidebar();
  await table.show(entry.query, entry.row, entry.column);
}

/// Shows the object in the current row, or what can be done with all rows that are selected.
function showPanel() {
  if (db.state.isEditable && table.selected.size > 1) {
    showObject(null);
    return showSelection(byID("panel"), { entity: current().query.entity, uris: [...table.selected] }, panelActions);
  }
  const row = table.selectedRow;
  return showObject(byID("panel"), row?.isMissing ? null : row?.uri, panelActions);
}

/// Draws the panel again. An object whose field has the focus stays, even if the list has another in its place.
function redrawPanel() {
  const panel = byID("panel");
  const { uri } = panel.dataset;
  return uri && panel.contains(document.activeElement) ? showObject(panel, uri, panelActions) : showPanel();
}

/// Sorts by a column: ascending, then descending, then not; `extends` keeps the columns that are sorted by already.
function sort(column, extend = false) {
  if (column.sortFields) {
    return chooseFrom(`Sort by ${column.name}`, column.sortFields.map((path) => [path, path]), (path) => sortBy(path, extend));
  }
  return column.kind === "key" || column.isSortable ? sortBy(column.kind === "key" ? null : column.name, extend) : undefined;
}

/// Sorts by a key, or by the primary key.
function sortBy(key, extend) {
  const entry = current();
  const { sort: keys = [], ...rest } = entry.query;
  if (key === null && keys.length === 0) return;
  const old = keys.find((one) => one.key === key);
  const next = old?.isDescending ? [] : [{ key, ...(old ? { isDescending: true } : {}) }];
  const all = key === null ? [] : !extend ? next : old ? keys.flatMap((one) => (one === old ? next : [one])) : [...keys, ...next];
  entry.query = all.length ? { ...rest, sort: all } : rest;
  entry.row = 0;
  // After a dialog, the focus is in none of the parts.
  const hadFocus = document.activeElement === document.body || byID("grid").contains(document.activeElement);
  show().then(() => { if (hadFocus) byID("grid").focus(); });
}

/// Shows the object that a link leads to, in a list of its own.
async function follow(uri) {
  const reply = await ask({ object: { uri } });
  if (reply.problem) return notify(words(reply.problem), true);
  const { object } = reply;
  await go({ entity: object.entity, object: uri }, `${object.entity} ${object.key || "(new)"}`);
  return byID("grid").focus();
}

/// Shows the destinations of a to-many relationship.
function open(object, property) {
  go({ entity: property.type, scope: { object: object.uri, relationship: property.name } },
    `${property.name} of ${object.entity} ${object.key || "(new)"}`).then(() => byID("grid").focus());
}

// Editing.

function edit(row, column) {
  if (!db.state.isEditable) {
    notify(db.state.canEnableEditing ? "Press Edit to request write access." : "The store is open for reading only.");
    return;
  }
  const id = identifier(column.name);
  // Composite values have a field for each element, to-many relationships a button that adds.
  uncover(byID(id) ?? byID("panel").querySelector(`[id^="${id}-"]`) ?? byID(identifier(`add ${column.name}`)))?.focus();
}

/// Sends an edit and shows what follows from it.
async function change(operation, request = { edit: { _0: operation } }) {
  return showReply(await ask(request));
}

async function showReply(reply) {
  if (reply.invalid) takeInvalid(reply.invalid);
  if (reply.problem) notify(words(reply.problem), true);
  else if (!reply.notice) notify(errorCount() ? `${errorCount()} ${errorCount() === 1 ? "object has" : "objects have"} values that are not valid` : "", errorCount() > 0);
  if (reply.conflicts) showConflicts(reply.conflicts, (keepsEdits) => change(null, { resolve: { keepsEdits } }));
  await redraw();
  return reply;
}

async function redraw() {
  if (db.view === "findings") {
    showFindings(byID("content"), { onfollow: follow });
    return;
  }
  if (db.view === "history") {
    await showHistory(byID("content"), { onfollow: follow });
    return;
  }
  await table.reload();
  await redrawPanel();
}

async function create() {
  // Keys that are pressed until the object is there are for none of the others.
  park();
  const reply = await change({ create: { entity: current().query.entity, name: crypto.randomUUID() } });
  if (!reply.created || !isParked()) return;
  table.select(0, table.column);
  await showPanel();
  const panel = uncover(byID("panel"));
  if (isParked() && panel.dataset.uri === reply.created) panel.querySelector("dd input, dd select, dd textarea")?.focus();
}

/// Deletes the rows that are selected, or the current one.
function remove() {
  const uris = table.selected.size ? [...table.selected] : [table.selectedRow?.uri].filter(Boolean);
  if (uris.length === 0) return undefined;
  return uris.length === 1 ? change({ delete: { uri: uris[0] } }) : change({ group: { _0: uris.map((uri) => ({ delete: { uri } })) } });
}

const panelActions = {
  onfollow: follow,
  onopen: open,
  onvalue: showValue,
  onset: (uri, key, text) => {
    if (text === null) db.bytesVersion += 1;
    return change({ set: { uri, key, ...(text === null ? {} : { text }) } });
  },
  onfile: async (uri, key, file) => showReply(await upload(uri, key, file)),
  onmove: async (uri, key, destination, distance) => {
    const reply = await ask({ edit: { _0: { moveMember: { uri, key, destination, distance } } } });
    // The details follow the destination.
    if (reply.position !== undefined) db.memberOffsets.set(`${uri} ${key}`, Math.floor(reply.position / pageSize) * pageSize);
    return showReply(reply);
  },
  onpage: (uri, key, offset) => {
    db.memberOffsets.set(`${uri} ${key}`, offset);
    return showPanel();
  },
  ongroup: (edits) => change({ group: { _0: edits } }),
  ondelete: () => remove(),
  ondeselect: () => {
    table.deselect();
    table.select(table.row, table.column);
    byID("grid").focus();
  },
  onlink: (uri, key, destination) => change({ link: { uri, key, ...(destination === null ? {} : { destination }) } }),
  onadd: (uri, key, destination) => change({ addMember: { uri, key, destination } }),
  onremove: (uri, key, destination) => change({ removeMember: { uri, key, destination } }),
};

async function save() {
  document.activeElement?.blur?.();
  // New objects get other URIs.
  table?.deselect();
  const reply = await change(null, { save: {} });
  if (!reply.problem && !reply.conflicts) readCounts();
}

// The parts of the page.

const renderSidebar = () => showSidebar({
  onopen: (entity) => { go({ entity: entity.name }, entity.name, { fresh: true }); },
  onhistory: openHistory,
  onfindings: openFindings,
});

const renderToolbar = () => showState(() => change(null, { recover: {} }).then(show));

function openHistory() {
  db.view = "history";
  db.trail = [];
  renderSidebar();
  showObject(byID("panel"), null, panelActions);
  return showHistory(byID("content"), { onfollow: follow });
}

function openFindings() {
  db.view = "findings";
  db.trail = [];
  renderSidebar();
  showObject(byID("panel"), null, panelActions);
  return showFindings(byID("content"), { onfollow: follow });
}

let isChecking = false;
let isUnchecked = false;

/// Checks the store again, and marks what was found.
///
/// One check is awaited at a time; calls in the meantime lead to one more.
async function checkStore() {
  isUnchecked = true;
  if (isChecking) return;
  isChecking = true;
  try {
    while (isUnchecked) {
      isUnchecked = false;
      if (await readFindings()) showMarks();
    }
  } finally {
    isChecking = false;
  }
}

function showMarks() {
  renderSidebar();
  if (db.view === "findings") openFindings();
  else if (db.view === "list" && table) {
    table.render();
    redrawPanel();
  }
}

async function readCounts() {
  checkStore();
  const reply = await ask({ counts: {} });
  db.counts = reply.counts ?? {};
  renderSidebar();
}

// Toolbar and shortcuts.

byID("enable-editing").addEventListener("click", async () => {
  const reply = await ask({ enableEditing: {} });
  if (reply.problem) return notify(words(reply.problem), true);
  notify("Edits are kept until you save them.");
  return db.view === "list" && show();
});
byID("undo").addEventListener("click", () => change(null, { undo: {} }));
byID("redo").addEventListener("click", () => change(null, { redo: {} }));
byID("discard").addEventListener("click", () => {
  if (!confirm("Discard all unsaved edits?")) return;
  table?.deselect();
  change(null, { discard: {} });
});
byID("save").addEventListener("click", save);

byID("help-button").addEventListener("click", showHelp);

document.addEventListener("keydown", (event) => {
  if (!db.state || document.querySelector("dialog[open]")) return;
  const command = event.ctrlKey || event.metaKey;
  const letter = event.key.toLowerCase();
  const run = (action) => { event.preventDefault(); action(); };
  if (command && letter === "s") return db.state.isEditable ? run(save) : undefined;
  if (event.key === "F6") return run(() => cycle(event.shiftKey ? -1 : 1));
  if (event.altKey && event.key === "ArrowLeft") return run(() => back()?.then(() => byID("grid").focus()));
  if (isTyping()) return undefined;
  if (command && letter === "z") return run(() => (event.shiftKey ? byID("redo") : byID("undo")).click());
  if (command && letter === "y") return run(() => byID("redo").click());
  if (event.altKey && event.code === "KeyN") return run(() => byID("create")?.click());
  if (event.key === "/") return run(() => byID("predicate")?.focus());
  if (event.key === "?") return run(showHelp);
  return undefined;
});

// Cells as tab-separated text, while the table has the focus.

const usesCells = () => table && document.activeElement === byID("grid") && !String(getSelection());

document.addEventListener("copy", (event) => {
  if (!usesCells()) return;
  event.preventDefault();
  copyCells(table);
});

document.addEventListener("paste", (event) => {
  if (!usesCells()) return;
  event.preventDefault();
  if (!db.state.isEditable) return notify(db.state.canEnableEditing ? "Press Edit to request write access." : "The store is open for reading only.");
  pasteCells(table, event.clipboardData?.getData("text/plain") ?? "", (edits) => panelActions.ongroup(edits));
});

function cycle(direction) {
  const parts = [() => byID("sidebar").querySelector("li[tabindex='0']"), () => byID("predicate"), () => byID("grid"),
    () => byID("panel").querySelector("button, input, select, textarea") ?? byID("panel"), () => byID("zone")];
  const index = [byID("sidebar"), document.querySelector(".predicate"), host, byID("side"), byID("toolbar")]
    .findIndex((part) => part?.contains(document.activeElement));
  for (let step = 1; step <= parts.length; step++) {
    const target = parts[(index + direction * step + parts.length * 4) % parts.length]();
    if (target?.checkVisibility()) return target.focus();
  }
}

window.addEventListener("beforeunload", (event) => { if (db.state?.isEdited) event.preventDefault(); });

db.listeners.push((old) => {
  renderToolbar();
  // While a store cannot be opened again, what was read before stays in sight.
  if (old && old.isEditable !== db.state.isEditable && !db.state.problem && db.view === "list" && table) show();
});

async function start() {
  fillZones(() => {
    if (db.view === "history") openHistory();
    else if (table) { table.render(); showPanel(); }
  });
  await ask({ open: {} });
  if (!db.state) return;
  byID("model-link").hidden = !db.state.hasModel;
  if (db.state.problem && !db.state.entities.length) {
    if (db.state.problem.needsModel) await showWithoutModel();
    else showProblem();
    awaitStore();
  } else {
    await readCounts();
    const first = db.state.entities.find((one) => db.counts[one.name] > 0) ?? db.state.entities[0];
    if (first) await go({ entity: first.name }, first.name, { fresh: true });
    byID("sidebar").querySelector("li[aria-selected=true]")?.focus();
    watch({ onstate: renderToolbar, oncounts: readCounts, onchange: redraw });
  }
  document.body.dataset.ready = "1";
}

start();
