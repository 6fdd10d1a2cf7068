internal import SwiftSources

/// A problem with a declaration, located by bytes and not yet by line and column.
struct SourceProblem: Hashable {
    var message: String
    var span: SourceSpan
    var help: String?
}
