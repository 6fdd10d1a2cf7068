internal import Diagnostics
internal import ModelSource
internal import PredicateSyntax

/// A model as the page shows it.
package struct ModelSnapshot: Codable, Sendable {
    /// An element with its descendants. Comments and text are not included.
    package struct Node: Codable, Sendable {
        /// The XML element.
        package var k: String
        /// The XML attributes.
        package var a: [String: String]
        /// The child elements, or `nil` for an empty element.
        package var c: [Node]?
        /// The name as predicates write it, if it is a reserved word.
        package var p: String?

        init(_ node: XMLNode) {
            k = node.name
            a = Dictionary(node.attributes.map { ($0.name, $0.value) }) { first, _ in first }
            let children = node.children
            c = children.isEmpty ? nil : children.map(Node.init)
            p = node["name"].map(PredicatePrinter.string(forKey:)).flatMap { $0 == node["name"] ? nil : $0 }
        }
    }

    package struct Version: Codable, Sendable {
        /// The version's name.
        package var name: String
        /// Whether it has unsaved edits.
        package var isEdited: Bool
        /// Whether it can be edited.
        package var isEditable: Bool
        /// The problems of its file, if it cannot be edited.
        package var problems: [String]
    }

    /// An unresolved conflict.
    package struct Conflict: Codable, Sendable {
        package var version: String
        /// Descriptions of the conflicting changes.
        package var descriptions: [String]
        /// Whether the file no longer exists.
        package var isRemoved: Bool
    }

    /// The elements that changed since the page's last reply.
    package struct Splice: Codable, Sendable {
        /// The index of the first top-level element that changed.
        package var start: Int
        /// The number of top-level elements that are replaced.
        package var count: Int
        /// The elements that replace them.
        package var nodes: [Node]
        /// The XML attributes of the model.
        package var attributes: [String: String]
    }

    /// The name of the model.
    package var name: String
    /// The path of the model.
    package var path: String
    /// The number of changes so far.
    package var revision: Int
    /// Whether edits are rejected.
    package var isReadOnly: Bool
    /// The reason why edits are rejected, if the caller did not request it.
    package var readOnlyReason: String?
    /// Whether there are unsaved edits.
    package var isEdited: Bool
    /// The title of the operation that undo reverts.
    package var undoTitle: String?
    /// The title of the operation that redo repeats.
    package var redoTitle: String?
    /// The current version.
    package var current: String?
    /// The version that is shown.
    package var version: String
    /// All versions.
    package var versions: [Version]
    /// The unresolved conflicts.
    package var conflicts: [Conflict]
    /// The number of operations that an earlier run did not save.
    package var recoverableCount: Int
    /// Whether the journal could not be written.
    package var journalFailed: Bool
    /// The problems of the bundle itself.
    package var problems: [String]
    /// The elements of the version; `nil` if there is a `splice`.
    package var root: Node?
    /// The changes to the elements that the page has.
    package var splice: Splice?
}

extension EditorSession {
    /// Returns the state of the session, with the elements of a version.
    ///
    /// - Parameter includesElements: Whether the elements are included.
    package func snapshot(of version: String, includesElements: Bool = true) -> ModelSnapshot {
        let shown = document(version) ?? document(initialVersion) ?? documents[0]
        return ModelSnapshot(
            name: name, path: path, revision: revision, isReadOnly: isReadOnly, readOnlyReason: readOnlyReason,
            isEdited: isEdited, undoTitle: undoTitle, redoTitle: redoTitle, current: currentName, version: shown.name,
            versions: documents.map {
                .init(
                    name: $0.name, isEdited: $0.isEdited, isEditable: $0.isEditable,
                    problems: $0.problems.map(\.message))
            },
            conflicts: conflicts.map {
                .init(version: $0.version, descriptions: $0.descriptions, isRemoved: $0.isRemoved)
            },
            recoverableCount: recoverableCount, journalFailed: journalFailed,
            problems: bundleDiagnostics.map(\.message)
                + [
                    damagedJournal.map {
                        "unsaved edits of an earlier session cannot be read; they are kept in “\($0)”"
                    }
                ]
                .compactMap(\.self),
            root: includesElements ? .init(shown.root) : nil)
    }

    /// Returns the edited elements of a version, for a later comparison.
    func root(of version: String) -> XMLNode? { document(version)?.root }

    /// Returns elements as text for the clipboard; empty if none of them exists.
    package func copy(_ elements: [ElementReference]) -> String {
        XMLFragment.text(of: elements.compactMap { document($0.version)?.root.element(at: $0.steps) })
    }
}
