// How values are shown.

import { h } from "./dom.js";
import { db } from "./data-store.js";

const reference = Date.UTC(2001, 0, 1);

/// A date of seconds since 2001 in the chosen time zone; the seconds themselves if there is no such date.
export function dateText(seconds) {
  const date = new Date(reference + Number(seconds) * 1000);
  if (Number.isNaN(date.getTime())) return `${seconds} s since 2001`;
  const milliseconds = date.getUTCMilliseconds();
  if (db.zone === "UTC") return date.toISOString().replace("T", " ").replace(milliseconds ? "Z" : ".000Z", " Z").trim();
  const parts = Object.fromEntries(new Intl.DateTimeFormat("en-CA", {
    timeZone: db.zone === "local" ? undefined : db.zone, year: "numeric", month: "2-digit", day: "2-digit",
    hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23", timeZoneName: "longOffset", era: "short",
  }).formatToParts(date).map((part) => [part.type, part.value]));
  const fraction = milliseconds ? `.${String(milliseconds).padStart(3, "0")}` : "";
  const offset = parts.timeZoneName.replace("GMT", "") || "+00:00";
  const era = parts.era === "BC" || parts.era === "B" ? " BC" : "";
  return `${parts.year.padStart(4, "0")}-${parts.month}-${parts.day} ${parts.hour}:${parts.minute}:${parts.second}${fraction} ${offset}${era}`;
}

/// What a value is edited as: dates in UTC, so that what is not changed stays exact.
export function editText(cell) {
  if (cell.kind === "null" || cell.text === undefined) return "";
  if (cell.kind !== "date") return cell.text;
  const date = new Date(reference + Number(cell.text) * 1000);
  const isExact = !Number.isNaN(date.getTime()) && date.getUTCFullYear() > 999 && date.getUTCFullYear() < 10000
    && (date.getTime() - reference) / 1000 === Number(cell.text);
  return isExact ? date.toISOString() : cell.text;
}

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
    case "date": return dateText(cell.text);
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
