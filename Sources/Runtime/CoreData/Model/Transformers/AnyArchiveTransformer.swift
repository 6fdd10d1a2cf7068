internal import CompiledModel
internal import Foundation

/// Archives objects of any class that supports secure coding, for attributes without a named transformer.
final class AnyArchiveTransformer: NSSecureUnarchiveFromDataTransformer, @unchecked Sendable {
    static let shared = AnyArchiveTransformer()

    /// Returns the object archived in data.
    ///
    /// - Throws: An error if the data are not an archive or the class does not exist, on which Foundation on Linux
    ///   would trap.
    static func object(in data: Data) throws -> Any? {
        var classes: [AnyClass] = NSSecureUnarchiveFromDataTransformer.allowedTopLevelClasses
        let accepted = Set(classes.map { plain(NSStringFromClass($0)) })
        for names in try BinaryPropertyList(Array(data)).archivedClassNames
        where !names.contains(where: { accepted.contains(plain($0)) }) {
            guard let name = names.first, let found = NSClassFromString(name), found is any NSSecureCoding.Type else {
                throw CoreDataError.error(
                    .coreData, text: "there is no class “\(names.first ?? "?")” that can be unarchived")
            }
            classes.append(found)
        }
        return try NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: data)
    }
}
