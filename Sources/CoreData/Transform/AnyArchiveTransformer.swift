internal import CompiledModel
internal import Foundation

/// Archives objects of any class that can be archived securely: for attributes that name no transformer.
final class AnyArchiveTransformer: NSSecureUnarchiveFromDataTransformer, @unchecked Sendable {
    static let shared = AnyArchiveTransformer()

    /// Returns the object that was archived in bytes.
    ///
    /// - Throws: when the bytes are not an archive, or there is no such class here: Foundation on Linux traps for one.
    static func object(in data: Data) throws -> Any? {
        var classes: [AnyClass] = NSSecureUnarchiveFromDataTransformer.allowedTopLevelClasses
        let known = Set(classes.map { plain(NSStringFromClass($0)) })
        for names in try BinaryPropertyList(Array(data)).archivedClassNames
        where !names.contains(where: { known.contains(plain($0)) }) {
            guard let name = names.first, let found = NSClassFromString(name), found is any NSSecureCoding.Type else {
                throw CoreDataError.error(.coreData, "there is no class “\(names.first ?? "?")” that can be unarchived")
            }
            classes.append(found)
        }
        return try NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: data)
    }
}
