internal import Diagnostics
package import SwiftSources

/// A Swift source file of a target that was read.
package struct ManagedSource: Sendable {
    /// The path in findings.
    package var path: String
    /// The text in UTF-8.
    package var bytes: [UInt8]
    /// The declarations.
    package var file: SwiftFile
    /// Whether the manifest excludes the file, so that the compiler sees only modelc's copy of it.
    package var isExcluded: Bool
    /// Whether a copy of the excluded file is compiled regardless of its content, because the file is in an excluded
    /// folder with a model.
    package var isInModelFolder = false

    /// Reads a file.
    package init(path: String, bytes: [UInt8], isExcluded: Bool) {
        self.path = path
        self.bytes = bytes
        self.isExcluded = isExcluded
        file = SwiftFile(bytes)
    }

    /// Whether the file has `@NSManaged` declarations.
    package var hasManagedDeclarations: Bool {
        !file.managedProperties.isEmpty || !file.managedFunctions.isEmpty
    }

    /// Whether the file uses Core Data without importing it.
    package var lacksCoreDataImport: Bool {
        file.namesCoreData && !file.importSites.contains { $0.module == "CoreData" }
    }

    var fileName: String {
        path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.utf8.index(after: $0)...]) } ?? path
    }

    /// Returns the text of a byte range.
    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// Returns a finding at a byte range of the file.
    func diagnostic(
        _ severity: Severity, rule: RuleID, message: String, at range: Range<Int>, why: String? = nil,
        help: String? = nil
    ) -> Diagnostic {
        Diagnostic(
            severity, rule: rule, message, file: path, range: LineIndex(bytes).range(of: range), why: why, help: help)
    }
}
