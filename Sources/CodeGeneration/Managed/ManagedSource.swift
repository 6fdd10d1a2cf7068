internal import Diagnostics
package import SwiftSources

/// A Swift source file of a target, read.
package struct ManagedSource: Sendable {
    /// The path, as findings name it.
    package var path: String
    /// The text in UTF-8.
    package var bytes: [UInt8]
    /// What it declares.
    package var file: SwiftFile
    /// Whether the target's manifest excludes the file, so that the compiler sees only the copy that modelc makes of it.
    package var isExcluded: Bool
    /// Whether a copy of the excluded file is compiled whatever the file holds: it is in an excluded folder with a model.
    package var isInModelFolder = false

    /// Reads a file.
    package init(path: String, bytes: [UInt8], isExcluded: Bool) {
        self.path = path
        self.bytes = bytes
        self.isExcluded = isExcluded
        file = SwiftFile(bytes)
    }

    /// Whether the file has anything that only Core Data makes complete.
    package var hasManagedDeclarations: Bool {
        !file.managedProperties.isEmpty || !file.managedFunctions.isEmpty
    }

    /// The file's name.
    var fileName: String {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.utf8.index(after: $0)...]) } ?? path
    }

    /// The text of some bytes.
    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// A finding at some bytes of the file.
    func diagnostic(
        _ severity: Severity, _ rule: RuleID, _ message: String, at range: Range<Int>, why: String? = nil,
        help: String? = nil
    ) -> Diagnostic {
        Diagnostic(
            severity, rule: rule, message, file: path, range: LineIndex(bytes).range(of: range), why: why, help: help)
    }
}
