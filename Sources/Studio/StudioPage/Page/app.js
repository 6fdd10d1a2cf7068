// The state of the page, and the way to the server.

import { busy } from "./dom.js";
import { find, follow, followDeletion, registeredSteps, same } from "./model.js";

export const app = {
  state: null,
  root: null,
  version: null,
  vocabulary: {},
  /// The steps of the selected top-level element, and of the selected properties in it.
  top: null,
  properties: [],
  /// The steps of further entities that are selected.
  others: [],
  /// What the middle of the page shows: `table`, `entities` or `graph`.
  view: "table",
  findings: [],
  /// The steps of relationships that were added since the last save.
  added: [],
  hashes: new Map(),
  tab: "inspector",
  filter: "",
  /// The element whose name is edited in place, and where: `{ steps, container }`.
  renaming: null,
  /// What a comparison says of entities, which the graph marks: see `changedElements`; `null` for none.
  changed: null,
  showChanges: () => {},
  /// How often the user has selected something else.
  picks: 0,
  listeners: [],
  /// Draws the page again.
  redraw: () => {},
};

/// The size of the largest request, in bytes, as in StudioRoutes.
const requestLimit = 16 << 20;
/// The longest time that an answer is awaited, in milliseconds.
const answerLimit = 120_000;

/// Posts a request, and returns the answer.
export async function post(address, type, body, { limit = requestLimit, signal } = {}) {
  const { size } = body instanceof Blob ? body : new Blob([body]);
  if (size > limit) throw new Error(`the text is too large: ${(size / 1048576).toFixed(1)} MB; at most ${limit >> 20} MB can be sent at once`);
  const time = AbortSignal.timeout(answerLimit);
  let response;
  try {
    response = await fetch(address, {
      method: "POST", headers: { "Content-Type": type }, body, signal: signal ? AbortSignal.any([signal, time]) : time,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    const text = time.aborted ? `the studio has not answered for ${answerLimit / 1000} seconds; reload the page to see what it has done`
      : "the studio does not answer; is it still running?";
    throw Object.assign(new Error(text), { isUnanswered: true });
  }
  if (response.status === 413) throw new Error("the studio rejected the request: it is too large");
  if (!response.ok) throw new Error("the studio rejected the request; reload the page");
  return response.json();
}

/// What a caller gets in place of an answer.
export function failure(error) {
  notify(error.message, true);
  return { problem: { message: error.message }, isUnanswered: !!error.isUnanswered };
}

let queue = Promise.resolve();

/// Sends a request; requests are answered in their order. A function is called when the answers to all earlier requests are there, and returns
/// the request, or null for none. `keepsSelection`: the selection stays, regardless of what was edited.
export function send(request, { keepsSelection = false } = {}) {
  // The version that is shown now: it may be another one when it is the request's turn. Elements are named as they are by then.
  const { version, picks } = app;
  const seenProblems = problems;
  derived.abort();
  const result = queue.then(async () => {
    const current = typeof request === "function" ? request() : request;
    if (!current) return {};
    const body = JSON.stringify({ version: version ?? undefined, known: app.state?.revision, request: current });
    const reply = await post("api", "application/json", body);
    // By this page, another one, undo or redo.
    for (const { from, to } of reply.renamed ?? []) follow(registeredSteps(from), to.at(-1));
    if (reply.state && !reply.problem) for (const { steps } of current.edit?.operation.delete?.elements ?? []) followDeletion(steps);
    if (current.edit?.operation.add?.kind === "relationship" && reply.selection) {
      app.added.push(...reply.selection.map((element) => registeredSteps(element.steps)));
    }
    take(reply, picks === app.picks && !keepsSelection, seenProblems);
    return reply;
  });
  queue = result.catch(() => {});
  return busy(result).catch(failure);
}

/// What takes long and is of no use after the next edit.
let derived = new AbortController();

/// Asks for what is derived from the model, such as findings. Edits do not wait for it; returns null if the model has changed meanwhile.
export function read(request) {
  return busy(readNow(request)).catch(failure);
}

async function readNow(request) {
  for (let last = null; last !== queue;) {
    last = queue;
    await last;
  }
  if (derived.signal.aborted) derived = new AbortController();
  const { signal } = derived;
  const { version, state: { revision } } = app;
  try {
    const reply = await post("api", "application/json", JSON.stringify({ version, request }), { signal });
    return reply.isOutdated || revision !== app.state.revision || version !== app.version ? null : reply;
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

/// Calls a function after the answers to all requests so far.
export const afterAnswers = (body) => queue.then(body);

function take(reply, followsSelection, seenProblems) {
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
    // The user may have selected something else since.
    if (reply.selection?.length && followsSelection) select(reply.selection.map((element) => registeredSteps(element.steps)));
    keepSelection();
    for (const listener of app.listeners) listener(!!root || !!splice);
  }
  if (reply.problem) notify([reply.problem.message, reply.problem.help].filter(Boolean).join(" — "), true);
  else if (reply.notice) notify(reply.notice);
  // A problem stays until the user has done something else.
  else if (reply.state && seenProblems === problems) notify("");
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
    app.top = first ? registeredSteps([{ kind: first.k, name: first.a.name }]) : null;
  }
  if (app.renaming && !find(app.root, app.renaming.steps)) app.renaming = null;
}

/// How many problems were shown.
let problems = 0;

export function notify(text, isProblem = false) {
  if (isProblem) problems += 1;
  const notice = document.getElementById("notice");
  notice.textContent = text;
  notice.classList.toggle("problem", isProblem);
}

export const reference = (steps) => ({ version: app.version, steps });
export const edit = (operation, options) => send({ edit: { operation } }, options);
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
