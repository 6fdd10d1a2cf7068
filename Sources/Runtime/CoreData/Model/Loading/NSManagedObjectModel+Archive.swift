package import CompiledModel
internal import Diagnostics
internal import ModelSchema

extension NSManagedObjectModel {
    /// The reason why a model cannot be created.
    package struct ArchiveFailure: Error, CustomStringConvertible {
        /// The reason, in one sentence.
        package let description: String
    }

    /// Creates the model that was compiled to an archive.
    ///
    /// - Throws: `ArchiveFailure` if a part of it cannot be used.
    package convenience init(_ decoded: DecodedModel) throws(ArchiveFailure) {
        self.init()
        if let finding = decoded.findings.first(where: { $0.severity == .error }) {
            throw ArchiveFailure(description: finding.message)
        }
        var builder = ModelBuilder(decoded.model)
        builder.build(into: self, versionIdentifiers: decoded.versionIdentifiers)
        if let problem = builder.problems.first { throw ArchiveFailure(description: problem) }
    }
}
