// The state of the page, and the way to the server.

import { busy } from "./dom.js";
import { find, same } from "./model.js";

export const app = {
  state: null,
  root: null,
  version: null,
  vocabulary: {},
  /// The steps of the selected top-level element, and of the selected properties in it.
  top: null,
  properties: [],
  /// The steps of further entities that are selected in the graph.
  others: [],
  /// What the middle of the page shows: `table` or `graph`.
  view: "table",
  findings: [],
  hashes: new Map(),
  tab: "inspector",
  filter: "",
  listeners: [],
};

let queue = Promise.resolve();

/// Sends a request; requests are answered in their order. A function is called when the answers to all earlier requests are there, and returns
/// the request, or null for none.
export function send(request) {
  const result = queue.then(async () => {
    const current = typeof request === "function" ? request() : request;
    if (!current) return {};
    const response = await fetch("api", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ version: app.version ?? undefined, known: app.state?.revision, request: current }),
    });
    if (!response.ok) throw new Error("the studio rejected the request; reload the page");
    const reply = await response.json();
    take(reply);
    return reply;
  });
  queue = result.catch(() => {});
  return busy(result).catch((error) => {
    const text = error instanceof TypeError ? "the studio does not answer; is it still running?" : error.message;
    notify(text, true);
    return { problem: { message: text } };
  });
}

/// Calls a function after the answers to all requests so far.
export const afterAnswers = (body) => queue.then(body);

function take(reply) {
  if (reply.vocabulary) app.vocabulary = reply.vocabulary;
  if (reply.state) {
    const { root, splice, ...state } = reply.state;
    if (root) app.root = root;
    if (splice) {
      app.root.a = splice.attributes;
      app.root.c = app.root.c ?? [];
      app.root.c.splice(splice.start, splice.count, ...splice.nodes);
    }
    const moved = app.version !== state.version;
    app.state = state;
    app.version = state.version;
    if (moved) Object.assign(app, { top: null, properties: [], others: [] });
    if (reply.selection?.length) select(reply.selection.map((element) => element.steps));
    keepSelection();
    for (const listener of app.listeners) listener(!!root || !!splice);
  }
  if (reply.problem) notify([reply.problem.message, reply.problem.help].filter(Boolean).join(" — "), true);
  else if (reply.notice) notify(reply.notice);
  else if (reply.state) notify("");
}

function select(list) {
  const shown = list.filter((steps) => steps.length > 0);
  if (shown.length === 0) return;
  app.top = shown[0].slice(0, 1);
  app.others = shown.slice(1).filter((steps) => steps.length === 1 && steps[0].kind === "entity");
  app.properties = shown.filter((steps) => steps.length > 1 && ["attribute", "relationship", "fetchedProperty"]
    .includes(steps[1].kind)).map((steps) => steps.slice(0, 2));
}

/// Drops what is no longer there.
function keepSelection() {
  app.properties = app.properties.filter((steps) => find(app.root, steps));
  app.others = app.others.filter((steps) => find(app.root, steps));
  if (!app.top || !find(app.root, app.top)) {
    app.properties = [];
    const first = (app.root.c ?? []).find((node) => node.k !== "elements");
    app.top = first ? [{ kind: first.k, name: first.a.name ?? undefined, index: 0 }] : null;
  }
}

export function notify(text, isProblem = false) {
  const notice = document.getElementById("notice");
  notice.textContent = text;
  notice.classList.toggle("problem", isProblem);
}

export const reference = (steps) => ({ version: app.version, steps });
export const edit = (operation) => send({ edit: { operation } });
export const setValue = (steps, attribute, value) =>
  edit({ set: { element: reference(steps), attribute, ...(value === null ? {} : { value }) } });
export const rename = (steps, name) => edit({ rename: { element: reference(steps), name } });
export const remove = (list) => edit({ delete: { elements: list.map(reference) } });
export const duplicate = (list) => edit({ duplicate: { elements: list.map(reference) } });
export const add = (steps, kind, values = {}, members = []) =>
  edit({ add: { parent: reference(steps), kind, values, members } });

/// What Delete, Duplicate and Copy are about.
export const selected = () => (app.properties.length ? app.properties : app.top ? [app.top, ...app.others] : []);
export const isReadOnly = () => app.state.isReadOnly || !app.state.versions.find((v) => v.name === app.version)?.isEditable;
export const isSelected = (steps) => app.properties.some((other) => same(other, steps));
