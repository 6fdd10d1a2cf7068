// The state of the data browser, and the way to the server.

import { failure, notify, post } from "./app.js";
import { busy } from "./dom.js";

export const db = {
  state: null,
  counts: {},
  /// The lists and objects that were shown, the last one now: `{ query, title, row, column }`.
  trail: [],
  /// What a check of the store has found, and the same by the URIs of objects.
  findings: { items: [] },
  findingsByURI: new Map(),
  /// Why values are not valid, by the URI of their object.
  invalidByURI: new Map(),
  zone: localStorage.getItem("modelc-zone") ?? "UTC",
  view: "list",
  /// The number of changes that may have been of bytes: browsers keep images in memory by their address.
  bytesVersion: 0,
  /// The first destination that the details show of a to-many relationship, by URI and name.
  memberOffsets: new Map(),
  /// Whether what is shown is to be read again, once there is neither a lock nor a dialog.
  isBehind: false,
  listeners: [],
};

/// Takes over why values are not valid.
export function takeInvalid(list) {
  db.invalidByURI = new Map();
  for (const one of list) {
    if (!db.invalidByURI.has(one.uri)) db.invalidByURI.set(one.uri, []);
    db.invalidByURI.get(one.uri).push(one);
  }
}

export const invalidValues = (uri, name) => (db.invalidByURI.get(uri) ?? []).filter((one) => one.key?.split(".")[0] === name);

/// The answers to all edits so far.
let edits = Promise.resolve();

const reads = new Set(["counts", "rows", "uris", "explain", "complete", "object", "value", "history"]);

/// Sends a request. Edits are performed in their order, and reads are answered after the edits before them. Reads do not wait for each
/// other: the store may be locked by another program.
export function ask(request) {
  const [name] = Object.keys(request);
  if (["undo", "redo", "discard", "resolve", "recover"].includes(name)) db.bytesVersion += 1;
  return send("store", "application/json", JSON.stringify(request), reads.has(name));
}

/// Replaces a binary value by the bytes of a file.
export function upload(uri, key, file) {
  db.bytesVersion += 1;
  // `byteLimit` was checked.
  return send(`blob?object=${encodeURIComponent(uri)}&key=${encodeURIComponent(key)}`, "application/octet-stream", file);
}

/// Sends a request outside the queue, without showing that the page is waiting; `null` if there is no answer.
export async function quietly(request) {
  const response = await fetch("store", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(request),
  }).catch(() => null);
  return response?.ok ? response.json() : null;
}

/// Asks for the state: it never waits for another program.
export const poll = () => quietly({ poll: {} });

const waitingText = "Waiting for the store…";
/// The requests whose answers take long.
const late = new Set();

/// Tells whether answers take long, and why. Notices, which tell of answers, stay.
async function showWaiting() {
  const element = document.getElementById("waiting");
  if (late.size === 0) {
    element.textContent = "";
    return;
  }
  element.textContent ||= waitingText;
  const state = (await poll())?.state;
  if (late.size > 0 && state?.isLocked) element.textContent = `${waitingText} ${state.warnings.at(-1) ?? ""}`;
}

function send(address, type, body, isRead = false) {
  const own = {};
  const timer = setTimeout(() => {
    late.add(own);
    showWaiting();
  }, 600);
  const result = edits.then(async () => {
    const reply = await post(address, type, body, body instanceof Blob ? { limit: db.state.byteLimit } : {});
    if (reply.state) take(reply.state);
    if (isRead && reply.problem && (reply.state?.isLocked || reply.problem.message.includes("is locked"))) db.isBehind = true;
    if (reply.notice) notify(reply.notice);
    return reply;
  }).finally(() => {
    clearTimeout(timer);
    if (late.delete(own)) showWaiting();
  });
  if (!isRead) edits = result.catch(() => {});
  return busy(result).catch(failure);
}

/// Adopts the state of an answer, and shows it.
export function take(state) {
  const old = db.state;
  if (old && old.run !== state.run) {
    // A studio that was started again has none of the unsaved edits that are shown.
    db.isBehind = true;
    db.bytesVersion += 1;
    takeInvalid([]);
  }
  // Most answers leave the entities out.
  db.state = { ...state, entities: state.entities.length ? state.entities : old?.entities ?? [] };
  for (const listener of db.listeners) listener(old);
}

export const entityNamed = (name) => db.state.entities.find((one) => one.name === name);
export const current = () => db.trail[db.trail.length - 1];
export const words = (problem) => [problem.message, problem.help].filter(Boolean).join(" — ");
export { notify };
