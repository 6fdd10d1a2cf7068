// How values are shown.

import { h } from "./dom.js";
import { db } from "./data-store.js";

const reference = Date.UTC(2001, 0, 1);
/// 15 October 1582, the first day of the Gregorian calendar. Browsers extend it to the days before, which stores do not.
const gregorianStart = Date.UTC(1582, 9, 15);

/// A date in the chosen time zone, to the millisecond. Days before the Gregorian calendar, and dates that have no days, are shown as the
/// studio tells them.
export function dateText({ text, edit }) {
  const parts = /^(-?\d{4,}-\d\d-\d\d)T([\d:]{8})\.(\d{3})\d*Z$/.exec(edit);
  if (!parts) return `${text} s since 2001`;
  const fraction = parts[3] === "000" ? "" : `.${parts[3]}`;
  const date = new Date(reference + Number(text) * 1000);
  const hasZone = db.zone !== "UTC" && date.getTime() >= gregorianStart;
  if (!hasZone) return `${parts[1]} ${parts[2]}${fraction} Z`;
  const local = Object.fromEntries(new Intl.DateTimeFormat("en-CA", {
    timeZone: db.zone === "local" ? undefined : db.zone, year: "numeric", month: "2-digit", day: "2-digit",
    hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23", timeZoneName: "longOffset",
  }).formatToParts(date).map((part) => [part.type, part.value]));
  const offset = local.timeZoneName.replace("GMT", "") || "+00:00";
  return `${local.year}-${local.month}-${local.day} ${local.hour}:${local.minute}:${local.second}${fraction} ${offset}`;
}

/// What a value is edited as: dates in UTC, so that what is not changed stays exact.
export const editText = (cell) => (cell.kind === "null" ? "" : cell.edit ?? cell.text ?? "");

export function sizeText(count) {
  if (count < 1024) return `${count} B`;
  return count < 1048576 ? `${(count / 1024).toFixed(1)} KB` : `${(count / 1048576).toFixed(1)} MB`;
}

export const blobAddress = (uri, key) =>
  `blob?object=${encodeURIComponent(uri)}&key=${encodeURIComponent(key)}&version=${db.bytesVersion}`;

/// The content of a cell. `follow` gets links, `open` to-many relationships, `view` bytes.
export function cellContent(cell, { follow, open, view, uri, key }) {
  switch (cell?.kind) {
    case undefined: return "";
    case "missing": return h("span", { class: "null", title: "The value is in a file that is not in the folder of external data" }, cell.text);
    case "null": return h("span", { class: "null" }, "nil");
    case "date": return dateText(cell);
    case "link": return h("button", { class: "link", tabIndex: -1, onclick: (event) => { event.stopPropagation(); follow(cell.uri); } }, cell.text);
    case "count":
      return h("button", { class: "link", tabIndex: -1, disabled: cell.count === 0, onclick: (event) => { event.stopPropagation(); open(); } },
        String(cell.count));
    case "bytes":
      return h("button", { class: "link bytes", tabIndex: -1, onclick: (event) => { event.stopPropagation(); view(); } },
        cell.media && h("img", { src: blobAddress(uri, key), alt: "", loading: "lazy" }),
        `${cell.text === "bytes" ? "" : `${cell.text}, `}${sizeText(cell.count)}`);
    default: return cell.text + (cell.isCut ? "…" : "");
  }
}

/// The width of a column in pixels.
export function columnWidth(property) {
  if (property.kind === "relationship") return property.isToMany ? 100 : 190;
  const widths = {
    "Integer 16": 90, "Integer 32": 100, "Integer 64": 120, Boolean: 80, Double: 120, Float: 110, Decimal: 130, Date: 190,
    UUID: 310, URI: 220, "Binary Data": 170, Transformable: 170, Composite: 220,
  };
  return Math.max(widths[property.type] ?? 180, property.name.length * 8 + 34);
}

export const isNumeric = (property) => /^(Integer|Double|Float|Decimal)/.test(property.type) || property.isToMany;
