internal import ModelSchema
internal import SwiftSources

/// A generated class whose lists tell the runtime on Linux what Apple's runtime finds by name: the text of the class,
/// and of its entries.
struct RuntimeTable {
    /// The class of the runtime that declares the lists. The generated class has its name prefixed with an underscore.
    let superclass: String
    /// What the table lists, for its comment.
    let summary: String
    /// The overridden class properties with their entries. Properties without entries are left out.
    var lists: [(declaration: String, entries: [String])]

    /// The class, or an empty string if there are no entries.
    var text: String {
        let lists = lists.filter { !$0.entries.isEmpty }
        guard !lists.isEmpty else { return "" }
        var text = "/// \(summary)\nnonisolated final class _\(superclass): \(superclass) {\n"
        let indent = "\n        "
        for (declaration, entries) in lists {
            let list = entries.map { $0.split(separator: "\n").joined(separator: indent) }
            text += "    override class var \(declaration) {\(indent)[\(indent)"
            text += list.joined(separator: ",\(indent)") + "]\n    }\n"
        }
        return text + "}\n\n"
    }

    // MARK: Entries

    /// Returns a sentence that says why the generated file cannot refer to a method; `nil` if it can.
    ///
    /// - Parameter subclass: The path of the subclass to which it refers the method; `nil` for the class itself.
    static func obstacle(
        to method: SwiftFile.KeyMethod, in target: TargetSources, of subclass: [String]? = nil
    ) -> String? {
        let context = method.context
        let path = subclass ?? context.path
        let types = path.indices.compactMap { target.declaration(Array(path[...$0]))?.type }
        if context.isLocal { return "Its class is local to a function." }
        if ["private", "fileprivate"].contains(method.access) || types.contains(where: \.isPrivate) {
            return "It is private, so that other files cannot refer to it."
        }
        if context.isConstrained || types.contains(where: \.isGeneric) {
            return "Its class is generic, or the extension has conditions."
        }
        return method.isUncertain ? "The condition of the #if around it cannot be decided." : nil
    }

    /// Returns a label as calls write it. Keywords other than these must not be escaped there.
    static func label(_ label: String?) -> String {
        label.map { ["inout", "let", "var"].contains($0) ? "`\($0)`: " : "\($0): " } ?? ""
    }

    /// Returns a class as Swift code writes it.
    static func typeName(_ path: [String]) -> String { path.map(SwiftIdentifier.declared).joined(separator: ".") }

    /// Returns the entry for a class whose name in Objective-C is another one; `nil` if it is not, or other files
    /// cannot refer to it.
    static func nameEntry(for type: SwiftFile.TypeDeclaration) -> String? {
        guard type.kind == .class, let name = type.objectiveCName, name != type.path.last,
            SwiftIdentifier.isValid(name), !type.isPrivate, !type.isLocal, !type.isGeneric
        else { return nil }
        return "\"\(name)\": \(typeName(type.path)).self"
    }
}
