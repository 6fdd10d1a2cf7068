/// A request of the page.
package enum EditorRequest: Codable, Sendable {
    /// Returns the state of the session and the elements of a version; without a name, those of the initial version.
    case open(version: String?)
    /// Performs an operation.
    case edit(operation: EditOperation)
    /// Undoes the last operation.
    case undo
    /// Redoes the last undone operation.
    case redo
    /// Saves all edited versions.
    case save
    /// Returns elements as text.
    case copy(elements: [ElementReference])
    /// Returns the linter's findings.
    case findings
    /// Applies the fix of a finding.
    case fix(number: Int, rule: String, element: [String])
    /// Returns the generated Swift code of an entity.
    case code(entity: String)
    /// Returns the version hashes.
    case hashes
    /// Compares with another state.
    case compare(with: ComparisonBase)
    /// Returns an automatic layout of the entities of a version. The sizes of the boxes are given.
    case layout(boxes: [CanvasBox])
    /// Returns the text of a file that is not well-formed.
    case source
    /// Checks a repaired text, and keeps it in the journal.
    case check(text: String)
    /// Writes a repaired text.
    case repair(text: String)
    /// Adds a version, copied from the current one, after saving. Undone by `undo` as long as there is no newer edit to
    /// undo.
    case addVersion(name: String?)
    /// Returns what adding a version writes.
    case planVersion(name: String?)
    /// Recovers the edits that an earlier run did not save.
    case recover
    /// Discards the edits that an earlier run did not save.
    case discard
    /// Resolves a conflict.
    case resolve(version: String, resolution: EditorSession.Resolution)
}

/// A request with the state of the page.
package struct EditorMessage: Codable, Sendable {
    /// The displayed version.
    package var version: String?
    /// The revision that the page has.
    package var known: Int?
    package var request: EditorRequest

    /// Creates a message.
    package init(version: String?, known: Int? = nil, request: EditorRequest) {
        self.version = version
        self.known = known
        self.request = request
    }
}

/// What adding a version writes.
package struct VersionAddition: Codable, Sendable {
    /// The name of the version.
    package var name: String
    /// The files that are created, as paths relative to the folder of the model if they are in it.
    package var created: [String]
    /// The files that are changed.
    package var changed: [String]
}

/// The reply to a request.
package struct EditorReply: Codable, Sendable {
    /// The reason why the request was rejected.
    package struct Problem: Codable, Sendable {
        /// The problem.
        package var message: String
        /// What to do about it.
        package var help: String?
    }

    /// The state after the request.
    package var state: ModelSnapshot?
    /// The elements to select.
    package var selection: [ElementReference]?
    /// The elements of the version that were renamed after the revision that the page has, in order.
    package var renamed: [IdentityChange]?
    /// The reason why the request was rejected.
    package var problem: Problem?
    /// What happened, in a sentence.
    package var notice: String?
    /// What adding a version writes.
    package var addition: VersionAddition?
    /// Copied elements.
    package var text: String?
    /// Whether the model was edited before the reply was computed, which was then left out.
    package var isOutdated: Bool?
    package var findings: [EditorFinding]?
    /// Generated files.
    package var code: [EditorCode]?
    /// Version hashes.
    package var hashes: [EditorHash]?
    package var comparison: EditorComparison?
    /// The text of a file that is not well-formed, with its errors.
    package var source: EditorSession.DamagedSource?
    /// The boxes of entities in the automatic layout.
    package var boxes: [CanvasBox]?
    /// The fields of the inspector, by kind of element.
    package var vocabulary: [String: [InspectorVocabulary.Field]]?

    /// Creates an empty reply.
    package init() {}
}
