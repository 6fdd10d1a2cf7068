import CoreData
import Foundation

/// The files that are compared.
enum Fixtures {
    static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fixtures")

    static func url(_ name: String) -> URL { folder.appendingPathComponent(name) }

    /// The version hashes in the output of `modelc hash --format json`: the hash by entity, by version.
    static func hashes(_ name: String) throws -> [String: [String: String]] {
        struct Listing: Decodable {
            struct Version: Decodable {
                var name: String
                var entities: [String: String]
            }
            var versions: [Version]
        }
        let listing = try JSONDecoder().decode(Listing.self, from: Data(contentsOf: url(name)))
        return Dictionary(uniqueKeysWithValues: listing.versions.map { ($0.name, $0.entities) })
    }

    /// Compares a text with the file of a name, or writes it if `UPDATE_GOLDENS` is set.
    static func compare(_ text: String, with name: String) throws {
        if ProcessInfo.processInfo.environment["UPDATE_GOLDENS"] != nil {
            try Data(text.utf8).write(to: url(name))
        }
        try Difference.check(text, String(decoding: Data(contentsOf: url(name)), as: UTF8.self))
    }

    /// Loads one version of a compiled model.
    static func model(_ name: String, version: String) throws -> NSManagedObjectModel {
        let file = url("\(name).momd").appendingPathComponent("\(version).mom")
        guard let model = NSManagedObjectModel(contentsOf: file) else {
            throw Difference(description: "the framework cannot load \(file.lastPathComponent)")
        }
        for entity in model.entities { entity.managedObjectClassName = "NSManagedObject" }
        return model
    }

    /// Copies a store into a new folder, with its external files.
    static func copyOfStore(_ name: String, as copy: String) throws -> URL {
        let files = FileManager.default
        let parent = ProcessInfo.processInfo.environment["MODELC_COMPARISON_OUTPUT"].map { URL(fileURLWithPath: $0) }
        let folder = (parent ?? files.temporaryDirectory).appendingPathComponent("\(copy)-\(UUID().uuidString)")
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        for file in try files.contentsOfDirectory(atPath: Self.folder.path)
        where file == "\(name).sqlite" || file == ".\(name)_SUPPORT" {
            try files.copyItem(at: url(file), to: folder.appendingPathComponent(file))
        }
        return folder.appendingPathComponent("\(name).sqlite")
    }
}

extension Data {
    /// The bytes in hexadecimal digits.
    var hexadecimal: String { map { String(format: "%02x", $0) }.joined() }
}
