internal import CompiledMapping
internal import CompiledModel
internal import Diagnostics
internal import Foundation
internal import ModelSchema

enum MappingModelFile {
    /// The reason why a mapping model cannot be read, in one sentence that names the file.
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// Reads a `.cdm` file. A mapping model with an unreadable part is rejected as a whole, as it would lose values.
    static func read(_ url: URL) throws(Failure) -> CompiledMapping {
        if url.pathExtension == "xcmappingmodel" {
            throw Failure(
                description:
                    "\(url.path): this is the source of a mapping model; compile it with modelc’s build plugin, or by "
                    + "“modelc compile”, and load the .cdm")
        }
        let bytes: [UInt8]
        do {
            bytes = [UInt8](try Data(contentsOf: url))
        } catch {
            throw Failure(description: "\(url.path): \(error.localizedDescription)")
        }
        let decoded: DecodedMapping
        do throws(ModelArchiveError) {
            decoded = try DecodedMapping(bytes)
        } catch {
            throw Failure(description: "\(url.path): \(error)")
        }
        if let finding = decoded.findings.first(where: { $0.severity == .error }) {
            throw Failure(description: "\(url.path): \(finding.message)")
        }
        return decoded.mapping
    }

    /// Returns an expression of a mapping model as an `NSExpression`.
    static func expression(_ expression: MappingExpression) -> NSExpression {
        switch expression {
        case .tree(let tree): return ExpressionTree(tree).makeExpression()
        case .archived(let archived):
            if let seconds = ExpressionArchive.date(in: archived) {
                return NSExpression(forConstantValue: Date(timeIntervalSinceReferenceDate: seconds))
            }
            if let tree = ExpressionArchive.treeCastingDates(of: archived) {
                return ExpressionTree(tree).makeExpression()
            }
            return NSExpression(forConstantValue: UnreadableMappingExpression(reason: archived.reason))
        }
    }

    /// Returns user info entries in the form that `NSEntityMapping` uses.
    static func userInfo(_ entries: [UserInfoEntry]?) -> [AnyHashable: Any]? {
        entries.map { Dictionary($0.map { (AnyHashable($0.key), $0.value as Any) }) { _, last in last } }
    }
}

/// The value of an archived expression that this framework cannot read. Migrations reject it.
final class UnreadableMappingExpression {
    /// The reason why it cannot be read.
    let reason: String

    init(reason: String) {
        self.reason = reason
    }
}
