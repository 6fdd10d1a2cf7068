/// What the page asks for.
package enum StudioRequest: Codable, Sendable {
    /// The state of the session and the elements of a version; without a name, the one to show first.
    case open(version: String?)
    /// An operation.
    case edit(operation: EditOperation)
    /// Taking the last operation back.
    case undo
    /// Making it again.
    case redo
    /// Writing all edited versions.
    case save
    /// Elements as text.
    case copy(elements: [ElementReference])
    /// The linter's findings.
    case findings
    /// The fix of a finding.
    case fix(number: Int, rule: String)
    /// The Swift of an entity.
    case code(entity: String)
    /// The version hashes.
    case hashes
    /// The difference from another state.
    case compare(with: ComparisonBase)
    /// Places for the entities of a version, laid out automatically; the extents of the boxes are given.
    case layout(boxes: [CanvasBox])
    /// The text of a file that is not well-formed.
    case source
    /// Checks a repaired text, and keeps it in the journal.
    case check(text: String)
    /// Writes a repaired text.
    case repair(text: String)
    /// A new version, copied from the current one.
    case addVersion
    /// The edits that an earlier run has not saved.
    case recover
    /// Discarding those.
    case discard
    /// A decision on a conflict.
    case resolve(version: String, resolution: StudioSession.Resolution)
}

/// A request with what the page shows.
package struct StudioMessage: Codable, Sendable {
    /// The version that is shown.
    package var version: String?
    /// The revision that the page has.
    package var known: Int?
    /// The request.
    package var request: StudioRequest

    /// Creates a message.
    package init(version: String?, known: Int? = nil, request: StudioRequest) {
        self.version = version
        self.known = known
        self.request = request
    }
}

/// The answer to a request.
package struct StudioReply: Codable, Sendable {
    /// Why the request was rejected.
    package struct Problem: Codable, Sendable {
        /// What is wrong.
        package var message: String
        /// What to do about it.
        package var help: String?
    }

    /// The state after the request.
    package var state: ModelSnapshot?
    /// The elements to select.
    package var selection: [ElementReference]?
    /// Why the request was rejected.
    package var problem: Problem?
    /// What happened, in a sentence.
    package var notice: String?
    /// Copied elements.
    package var text: String?
    /// Findings.
    package var findings: [StudioFinding]?
    /// Generated files.
    package var code: [StudioCode]?
    /// Version hashes.
    package var hashes: [StudioHash]?
    /// A comparison.
    package var comparison: StudioComparison?
    /// The text of a file that is not well-formed, with its errors.
    package var source: StudioSession.DamagedSource?
    /// The places of entities, laid out automatically.
    package var boxes: [CanvasBox]?
    /// The fields of the inspector, by kind of element.
    package var vocabulary: [String: [InspectorVocabulary.Field]]?

    /// Creates an empty answer.
    package init() {}
}
