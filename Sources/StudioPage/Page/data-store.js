// The state of the data browser, and the way to the server.

import { notify } from "./app.js";
import { busy } from "./dom.js";

export const db = {
  state: null,
  counts: {},
  /// The lists and objects that were shown, the last one now: `{ query, title, row, column }`.
  trail: [],
  /// Why values are not valid, by URI and key.
  invalid: [],
  zone: localStorage.getItem("modelc-zone") ?? "UTC",
  view: "list",
  /// The number of changes that may have been of bytes: browsers keep images in memory by their address.
  bytesVersion: 0,
  listeners: [],
};

let queue = Promise.resolve();

/// Sends a request; requests are answered in their order.
export function ask(request) {
  if (["undo", "redo", "discard", "resolve", "recover"].some((name) => name in request)) db.bytesVersion += 1;
  return send("store", "application/json", JSON.stringify(request));
}

/// Replaces a binary value by the bytes of a file.
export function upload(uri, key, file) {
  db.bytesVersion += 1;
  return send(`blob?object=${encodeURIComponent(uri)}&key=${encodeURIComponent(key)}`, "application/octet-stream", file);
}

function send(address, type, body) {
  const result = queue.then(async () => {
    const response = await fetch(address, { method: "POST", headers: { "Content-Type": type }, body });
    if (!response.ok) throw new Error("the studio rejected the request; reload the page");
    const reply = await response.json();
    if (reply.state) take(reply.state);
    if (reply.notice) notify(reply.notice);
    return reply;
  });
  queue = result.catch(() => {});
  return busy(result).catch((error) => {
    const text = error instanceof TypeError ? "the studio does not answer; is it still running?" : error.message;
    notify(text, true);
    return { problem: { message: text } };
  });
}

/// Takes the state of an answer over, and shows it.
export function take(state) {
  const old = db.state;
  // Most answers leave the entities out.
  db.state = { ...state, entities: state.entities.length ? state.entities : old?.entities ?? [] };
  for (const listener of db.listeners) listener(old);
}

export const entityNamed = (name) => db.state.entities.find((one) => one.name === name);
export const current = () => db.trail[db.trail.length - 1];
export const words = (problem) => [problem.message, problem.help].filter(Boolean).join(" — ");
export { notify };
