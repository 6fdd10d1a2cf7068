// Colors of generated code, and links in the text of a comparison.

import { h } from "./dom.js";

const keywords = new Set(("actor any as async await case catch class convenience default deinit didSet do dynamic else enum extension "
  + "false fileprivate final for func get guard if import in init inout internal is lazy let mutating nil nonisolated open optional override "
  + "package private protocol public required return self set some static struct subscript super switch throws true try typealias "
  + "unowned var weak where while willSet").split(" "));

const tokens = /(?<comment>\/\/[^\n]*|\/\*[\s\S]*?\*\/)|(?<string>"(?:[^"\\\n]|\\.)*")|(?<attribute>[@#][A-Za-z]\w*)|(?<number>\b\d[\w.]*)|(?<word>[A-Za-z_]\w*)/g;

/// Returns Swift code as text and colored elements.
export function swiftParts(text) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(tokens)) {
    const { comment, string, attribute, number, word } = match.groups;
    const kind = comment ? "comment" : string ? "string" : attribute ? "keyword" : number ? "number"
      : keywords.has(word) ? "keyword" : /^[A-Z]/.test(word) ? "type" : null;
    if (!kind) continue;
    if (match.index > end) parts.push(text.slice(end, match.index));
    parts.push(h("span", { class: `code-${kind}` }, match[0]));
    end = match.index + match[0].length;
  }
  parts.push(text.slice(end));
  return parts;
}

const kinds = { "+": "added", "-": "removed", "~": "changed", ">": "changed", "?": "changed" };

/// Returns what a comparison says of each entity: `added`, `removed` or `changed`, with its properties by name.
export function changedElements(text) {
  const result = new Map();
  let entity = null;
  for (const line of text.split("\n")) {
    // Lines of other elements begin with their kind: “- fetch request recent”.
    const [, indentation, mark, name] = /^( *)([+~>?-]) (\S+)(?= {2}|$)/.exec(line) ?? [];
    if (indentation === "" && name) {
      entity = { kind: kinds[mark], properties: new Map() };
      result.set(name, entity);
    } else if (indentation === "  " && entity) {
      entity.properties.set(name, kinds[mark]);
    }
  }
  return result;
}

/// Returns the text of a comparison, with links from its lines to elements of the model. `follow` gets the names of an element.
export function comparisonParts(text, exists, follow) {
  let entity = null;
  return text.split("\n").flatMap((line) => {
    const [, indentation, mark, name] = /^( *)([+~>?-]) (\S+)/.exec(line) ?? [];
    if (indentation === "" && name) entity = name;
    const names = indentation === "" ? [name] : indentation === "  " && entity ? [entity, name] : null;
    if (!names || !name) return [line + "\n"];
    const start = indentation.length + 2;
    const label = exists(names) ? h("button", { class: "link", onclick: () => follow(names) }, name) : name;
    return [h("span", { class: `diff-${kinds[mark]}` }, line.slice(0, start), label), line.slice(start + name.length) + "\n"];
  });
}
