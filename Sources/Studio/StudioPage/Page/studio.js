// Puts the parts together: what is drawn when, the toolbar, shortcuts, and changes from the server.

import { add, afterAnswers, app, duplicate, edit, isReadOnly, notify, read, reference, remove, selected, send } from "./app.js";
import { byID, commitActive, debounce, h, isInList, isParked, isTyping, park, refill } from "./dom.js";
import { renderEntities } from "./entities.js";
import { clearChanges, renameInGraph, renderGraph, setView, showChanges, showMatches } from "./graph.js";
import { flushKeyMove } from "./graph-gestures.js";
import { inspector } from "./inspector.js";
import { find, withSteps } from "./model.js";
import { uncover } from "./overflow.js";
import { changes, code, findings } from "./panels.js";
import { needsRepair, renderRepair } from "./repair.js";
import { choose, markSidebar, renderSidebar, startRename } from "./sidebar.js";
import { showPart } from "./splitters.js";
import { addProperty, mark, renameSelectedProperty, renderContent } from "./tables.js";
import { askForVersion } from "./versions.js";

const tabs = ["inspector", "findings", "code", "changes"];

/// Draws what depends on the selection: everything, what changes with another element, or what changes with other properties.
function show(scope = "everything") {
  if (scope === "everything") renderSidebar(show);
  if (scope === "selection") markSidebar();
  renderView(scope);
  renderPanel();
}

function renderView(scope) {
  if (app.view === "graph") renderGraph(scope, show);
  else if (needsRepair()) renderRepair();
  else if (app.view === "entities") renderEntities(show);
  else if (scope !== "properties") renderContent(show);
}

function renderPanel() {
  const panel = byID("panel");
  for (const name of tabs) {
    const tab = byID(`tab-${name}`);
    tab.setAttribute("aria-selected", String(name === app.tab));
    tab.tabIndex = name === app.tab ? 0 : -1;
  }
  panel.setAttribute("aria-labelledby", `tab-${app.tab}`);
  if (app.tab === "code") return code(panel);
  if (app.tab === "changes") return changes(panel, go);
  refill(panel, app.tab === "inspector" ? inspector() : findings(go));
}

/// Selects the element that a finding is about.
function go(names) {
  const top = withSteps(app.root, []).find((item) => item.node.a.name === names[0]);
  if (!top) return;
  app.picks += 1;
  app.top = top.steps;
  const property = names[1] && withSteps(top.node, top.steps).find((item) => item.node.a.name === names[1]);
  app.properties = property ? [property.steps] : [];
  app.tab = "inspector";
  show();
}

function renderToolbar() {
  const { state } = app;
  byID("model-name").textContent = state.name;
  document.title = `${state.isEdited ? "• " : ""}${state.name} — modelc studio`;
  byID("edited").hidden = !state.isEdited && !state.isReadOnly;
  byID("edited").textContent = state.isReadOnly ? "Read-Only" : "Edited";
  byID("undo").disabled = !state.undoTitle;
  byID("undo").title = state.undoTitle ? `Undo ${state.undoTitle} (Ctrl+Z)` : "Nothing to undo";
  byID("redo").disabled = !state.redoTitle;
  byID("redo").title = state.redoTitle ? `Redo ${state.redoTitle} (Ctrl+Shift+Z)` : "Nothing to redo";
  byID("save").disabled = !state.isEdited || state.isReadOnly;
  refill(byID("version"), state.versions.map((version) => h("option", { value: version.name, key: version.name },
    version.name + (version.name === state.current ? " (current)" : "") + (version.isEdited ? " •" : ""))));
  byID("version").value = app.version;
  byID("make-current").hidden = !state.current || state.current === app.version || state.isReadOnly;
  byID("add-version").hidden = !state.current && state.versions.length < 2 || state.isReadOnly;
  const count = (number, one, many) => `${number} ${number === 1 ? one : many}`;
  const found = (severity) => app.findings.filter((one) => one.severity === severity).length;
  byID("summary").textContent = [
    count((app.root.c ?? []).filter((node) => node.k === "entity").length, "entity", "entities"),
    count(found("error"), "error", "errors"), count(found("warning"), "warning", "warnings"),
  ].join(" · ");
  renderBanners();
}

function renderBanners() {
  const { state } = app;
  const banner = (text, ...buttons) => h("div", { class: "banner", key: text }, h("span", { class: "text" }, text), ...buttons);
  const button = (title, request) => h("button", { onclick: () => send(request) }, title);
  const list = [];
  if (state.recoverableCount > 0) {
    list.push(banner(`The last session ended with unsaved edits (${state.recoverableCount}).`,
      button("Restore", { recover: {} }), button("Discard", { discard: {} })));
  }
  for (const conflict of state.conflicts) {
    if (conflict.isRemoved) {
      list.push(banner(`“${conflict.version}” was removed from the disk. Its edits are still here.`,
        button("Write It Again", { resolve: { version: conflict.version, resolution: "mine" } })));
      continue;
    }
    list.push(banner(`“${conflict.version}” was changed on disk, and the same parts were edited here:\n${conflict.descriptions.join("\n")}`,
      button("Keep My Edits", { resolve: { version: conflict.version, resolution: "mine" } }),
      button("Use the File on Disk", { resolve: { version: conflict.version, resolution: "theirs" } })));
  }
  if (state.readOnlyReason) list.push(banner(`Read-only: ${state.readOnlyReason}.`));
  if (state.journalFailed) list.push(banner("The journal cannot be written. Save often: a crash would lose unsaved edits."));
  const version = state.versions.find((one) => one.name === app.version);
  if (version && !version.isEditable) {
    list.push(banner(`“${version.name}” cannot be edited until its file is repaired: ${version.problems.join("; ")}.`,
      h("button", { onclick: () => { setView("table", show); byID("repair-text")?.focus(); } }, "Repair")));
  }
  for (const problem of state.problems) list.push(banner(problem));
  refill(byID("banners"), list);
}

const check = debounce(120, async () => {
  const [found, hashed] = await Promise.all([read({ findings: {} }), read({ hashes: {} })]);
  // After a newer edit, both are asked again.
  if (!found || !hashed) return;
  app.findings = found.findings ?? [];
  forgiveNew();
  app.hashes = new Map((hashed.hashes ?? []).map((one) => [one.entity, one]));
  renderToolbar();
  renderSidebar(show);
  renderView("findings");
  if (app.tab === "inspector" || app.tab === "findings") renderPanel();
});

app.redraw = show;
app.showChanges = (changed) => showChanges(changed, show);
app.listeners.push((elementsChanged) => {
  renderToolbar();
  show();
  if (elementsChanged) check();
});

// Toolbar.

byID("undo").addEventListener("click", () => undo());
byID("redo").addEventListener("click", () => send({ redo: {} }));
for (const name of ["table", "entities", "graph"]) byID(`view-${name}`).addEventListener("click", () => setView(name, show));
byID("save").addEventListener("click", () => save());
byID("add-version").addEventListener("click", () => askForVersion());
byID("make-current").addEventListener("click", () => edit({ makeCurrent: { version: app.version } }));
byID("version").addEventListener("change", (event) => {
  app.picks += 1;
  app.version = event.target.value;
  Object.assign(app, { top: null, properties: [] });
  clearChanges();
  send({ open: { version: app.version } });
});
const zoomToMatches = debounce(200, () => { if (app.view === "graph" && app.filter) showMatches(); });
byID("search").addEventListener("input", (event) => {
  app.filter = event.target.value;
  renderSidebar(show);
  renderView("properties");
  zoomToMatches();
});
byID("search").addEventListener("keydown", (event) => {
  const first = byID("sidebar").querySelector("li");
  if (event.key === "Escape") {
    event.target.value = app.filter = "";
    renderSidebar(show);
    renderView("properties");
  } else if ((event.key === "Enter" || event.key === "ArrowDown") && first) {
    event.preventDefault();
    choose(first.steps, show);
    byID("sidebar").querySelector("li[aria-selected=true]")?.focus();
  }
});
for (const [index, name] of tabs.entries()) {
  const tab = byID(`tab-${name}`);
  tab.addEventListener("click", () => openTab(name));
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    openTab(tabs[(index + step + tabs.length) % tabs.length]);
    byID(`tab-${app.tab}`).focus();
  });
}

function openTab(name) {
  commitActive();
  app.tab = name;
  showPart("side");
  renderPanel();
}

/// What a new relationship lacks is a note until it is saved: its destination is still to be chosen.
function forgiveNew() {
  for (const finding of app.findings) {
    const [entity, name] = finding.element;
    const steps = finding.element.length === 2 && app.added.find((one) => one[0].name === entity && one[1].name === name);
    if (steps && !find(app.root, steps)?.a.destinationEntity) finding.severity = "note";
  }
}

function save() {
  app.added = [];
  // A field that is being edited counts.
  const focused = document.activeElement;
  flushKeyMove();
  if (focused?.id !== "graph-frame") focused?.blur?.();
  send({ save: {} });
}

function undo() {
  flushKeyMove();
  send({ undo: {} });
}

async function addNamed(kind) {
  if (app.view === "entities") setView("table", show);
  if (app.view === "table") return addProperty(kind);
  if (app.top?.[0].kind !== "entity" || isReadOnly()) return undefined;
  park();
  const { picks } = app;
  const reply = await add(app.top.slice(0, 1), kind);
  return reply.problem || !isParked() || picks !== app.picks ? undefined : renameInGraph();
}

const renameSelected = () => (app.view === "graph" && app.top?.[0].kind === "entity" ? renameInGraph()
  : app.properties.length ? renameSelectedProperty() : startRename());

// Shortcuts.

const shortcuts = [
  ["Ctrl+Z, Ctrl+Shift+Z", "Undo, redo"], ["Ctrl+S", "Save"], ["Ctrl+F or /", "Search"], ["↑ ↓ Home End", "Select another row"],
  ["Return or F2", "Rename (Return in the sidebar: go to the tables)"], ["→ ←", "From the sidebar to the tables and back"],
  ["Delete", "Delete"], ["Alt+↑, Alt+↓", "Move a fetched property, fetch request or configuration"], ["Ctrl+D", "Duplicate"], ["Ctrl+C, Ctrl+X, Ctrl+V", "Copy, cut, paste"], ["Alt+E", "Add entity"],
  ["Alt+A, Alt+R", "Add attribute, relationship"], ["F6, Shift+F6", "Next, previous part of the page"],
  ["Alt+L, Alt+P", "Show or hide the list, the details"],
  ["Ctrl+Space", "Complete a predicate"],
  ["Alt+1 … Alt+4", "Inspector, findings, code, changes"], ["Alt+T, Alt+O, Alt+G", "Tables, all entities, graph"],
  ["Graph: arrows, Shift+arrows", "Select another box, extend the selection"],
  ["Graph: Ctrl+arrows", "Move the selected boxes (with Shift: by one point)"],
  ["Graph: R", "Connect to another entity"], ["Graph: + − 0 1", "Zoom in, out, to fit, to actual size"],
  ["Graph: Return", "Show the entity’s tables"], ["?", "This list"],
];

function showHelp() {
  byID("help").replaceChildren(h("h2", {}, "Keyboard Shortcuts"),
    h("table", {}, shortcuts.map(([keys, text]) => h("tr", {}, h("td", {}, keys), h("td", {}, text)))),
    h("p", {}, h("button", { onclick: () => byID("help").close(), autofocus: true }, "Close")));
  byID("help").showModal();
}
byID("help-button").addEventListener("click", showHelp);

document.addEventListener("keydown", (event) => {
  if (!app.state || byID("help").open) return;
  const command = event.ctrlKey || event.metaKey;
  const letter = event.key.toLowerCase();
  const typing = isTyping() || document.activeElement?.id === "search";
  const run = (action) => { event.preventDefault(); action(); };
  if (command && letter === "s") return run(save);
  if (command && letter === "f") return run(() => uncover(byID("search")).focus());
  if (event.key === "F6") return run(() => cycle(event.shiftKey ? -1 : 1));
  if (event.altKey && !command && /^Digit[1-4]$/.test(event.code)) return run(() => { openTab(tabs[Number(event.code.slice(5)) - 1]); byID(`tab-${app.tab}`).focus(); });
  if (event.altKey && !command && event.code === "KeyG") return run(() => setView("graph", show));
  if (event.altKey && !command && event.code === "KeyT") return run(() => setView("table", show));
  if (event.altKey && !command && event.code === "KeyO") return run(() => setView("entities", show));
  if (typing && !(isInList() && (command || event.altKey))) return;
  if (command && letter === "z") return run(() => (event.shiftKey ? send({ redo: {} }) : undo()));
  if (command && letter === "y") return run(() => send({ redo: {} }));
  if (command && letter === "d" && !isReadOnly()) return run(() => selected().length && duplicate(selected()));
  if (event.altKey && event.code === "KeyE") return run(() => byID("add-entity").click());
  if (event.altKey && event.code === "KeyA") return run(() => addNamed("attribute"));
  if (event.altKey && event.code === "KeyR") return run(() => addNamed("relationship"));
  if (event.key === "/") return run(() => uncover(byID("search")).focus());
  if (event.key === "?") return run(showHelp);
  if (event.key === "F2") return run(renameSelected);
});

function cycle(direction) {
  const parts = [
    () => byID("sidebar").querySelector("li[aria-selected=true]"),
    () => (app.view === "graph" ? byID("graph-frame")
      : byID("content").querySelector("tr[aria-selected=true], tr[tabindex], input, textarea")),
    () => byID(`tab-${app.tab}`), () => byID("search"),
  ];
  const areas = ["sidebar", app.view === "graph" ? "graph" : "content", "side", "toolbar"];
  const current = areas.findIndex((id) => byID(id).contains(document.activeElement));
  for (let step = 1; step <= parts.length; step++) {
    const target = parts[(current + direction * step + parts.length * 4) % parts.length]();
    if (target?.checkVisibility()) return target.focus();
  }
}

// The clipboard holds elements as XML text.

const usesClipboard = () => app.state && !isTyping() && document.activeElement?.id !== "search" && !String(getSelection());

for (const type of ["copy", "cut"]) {
  document.addEventListener(type, (event) => {
    if (!usesClipboard() || selected().length === 0) return;
    event.preventDefault();
    const list = selected();
    send({ copy: { elements: list.map(reference) } }).then(async (reply) => {
      if (reply.problem) return;
      app.clipboard = reply.text;
      try { await navigator.clipboard.writeText(reply.text); } catch { /* The page's own clipboard remains. */ }
      notify(`${list.length} copied`);
      if (type === "cut" && !isReadOnly()) remove(list);
    });
  });
}

document.addEventListener("paste", (event) => {
  if (!usesClipboard() || isReadOnly()) return;
  event.preventDefault();
  const text = event.clipboardData?.getData("text/plain") || app.clipboard;
  if (!text) return;
  const isProperty = /^\s*<(attribute|relationship|fetchedProperty)\b/.test(text);
  edit({ paste: { parent: reference(isProperty && app.top ? app.top.slice(0, 1) : []), text } });
});

// News: another tab, or the file on disk.

function listen(isAgain = false) {
  let asks = isAgain;
  const socket = new WebSocket(new URL("events", location.href).href.replace(/^http/, "ws"));
  socket.addEventListener("message", (event) => {
    const { revision } = JSON.parse(event.data);
    // The notification of an edit that was made here may come before the answer to it.
    afterAnswers(() => {
      // A studio that was started again counts from the beginning.
      if (!app.state || !asks && revision <= app.state.revision) return;
      asks = false;
      send({ open: { version: app.version } });
    });
  });
  socket.addEventListener("close", () => {
    notify("the studio has ended; unsaved edits are in its journal", true);
    setTimeout(() => listen(true), 1000);
  });
}

window.addEventListener("beforeunload", (event) => { if (app.state?.isEdited) event.preventDefault(); });

send({ open: {} }).then(() => {
  if (!app.state) return;
  mark();
  byID("sidebar").querySelector("li[aria-selected=true]")?.focus();
  document.body.dataset.ready = "1";
  listen();
});
