import CompiledModel
import Foundation
import StoreFile
import SwiftDataModel
import Testing

/// The archive compiled from Swift sources, compared with the model in a store written by SwiftData (framework 1518).
@Suite(.enabled(if: SwiftDataStores.folder != nil, "MODELC_CORPUS names no folder with SwiftData stores"))
struct StoreModelCorpusTests {
    /// The archives are equal object by object and key by key, except that SwiftData has the entities in a dictionary
    /// with known keys.
    @Test(arguments: [
        ("FreezeRay-V1.sqlite", 1, "var name: String?; var createdAt: Date?"),
        ("FreezeRay-V2.sqlite", 2, "var name: String?; var email: String?; var createdAt: Date?"),
    ])
    func entitiesEqualThoseOfTheStore(file: String, version: Int, properties: String) throws {
        let source = """
            enum Version: VersionedSchema {
                static let versionIdentifier = Schema.Version(\(version), 0, 0)
                static var models: [any PersistentModel.Type] { [User.self] }
                @Model class User { \(properties) }
            }
            """
        let sources = SwiftDataSources([SwiftSourceFile(path: "a.swift", bytes: Array(source.utf8))])
        let compiled = try ArchiveGraph(
            try EncodedModel(#require(sources.versions.first).model, options: .swiftData).bytes)
        let path = try #require(SwiftDataStores.folder).appendingPathComponent(file).path
        let stored = try ArchiveGraph(#require(try StoreFile(path: path).modelArchive))
        let (own, apples) = (try compiled.entities(), try stored.entities())
        #expect(own.count == 1 && own[0].count > 20)
        #expect(own == apples)
        #expect(compiled.rootKeys == stored.rootKeys)
        for key in ["NSVersionIdentifiers", "NSFetchRequestTemplates", "NSConfigurations"] {
            #expect(!stored.root(key).isEmpty)
            #expect(compiled.root(key) == stored.root(key))
        }
    }
}

/// The objects of a keyed archive as text, one line for each key.
private struct ArchiveGraph {
    struct Malformed: Error {}

    private let objects: [PropertyListValue]
    private let model: PropertyListValue

    init(_ bytes: [UInt8]) throws {
        let archive = try PropertyListValue(binary: bytes)
        guard case .array(let objects)? = archive["$objects"], let root = archive["$top"]?["root"] else {
            throw Malformed()
        }
        self.objects = objects
        model = root
    }

    private func resolve(_ value: PropertyListValue) -> PropertyListValue {
        if case .uid(let number) = value, objects.indices.contains(number) { objects[number] } else { value }
    }

    /// Returns the entities in the order of the archive. A dictionary contains them as objects or, with known keys, as
    /// values.
    func entities() throws -> [[String]] {
        guard let table = resolve(model)["NSEntities"].map(resolve) else { throw Malformed() }
        let list = table["values"].map(resolve) ?? table
        guard case .array(let entities)? = list["NS.objects"] else { throw Malformed() }
        // Entities refer to the model, which must not be followed.
        guard case .uid(let number) = model else { throw Malformed() }
        return entities.map { lines($0, "entity", [number], 0) }
    }

    /// The keys of the model.
    var rootKeys: Set<String> { Set((resolve(model).dictionary ?? []).map(\.key)) }

    /// Returns the value of the model for a key.
    func root(_ key: String) -> [String] {
        guard case .uid(let number) = model else { return [] }
        return resolve(model)[key].map { lines($0, key, [number], 0) } ?? []
    }

    private func lines(_ value: PropertyListValue, _ label: String, _ path: Set<Int>, _ depth: Int) -> [String] {
        let margin = String(repeating: "  ", count: depth)
        guard case .uid(let number) = value else {
            if case .array(let elements) = value {
                return ["\(margin)\(label): \(elements.count)"] + elements.flatMap { lines($0, "-", path, depth + 1) }
            }
            return ["\(margin)\(label) = \(value)"]
        }
        if path.contains(number) { return ["\(margin)\(label) -> above"] }
        let object = resolve(value)
        guard let entries = object.dictionary else { return ["\(margin)\(label) -> \(object)"] }
        let path = path.union([number])
        let name = object["$class"].map { resolve($0)["$classname"]?.string ?? "" } ?? ""
        var result = ["\(margin)\(label): \(name)"]
        if case .array(let keys)? = object["NS.keys"], case .array(let values)? = object["NS.objects"] {
            for (key, value) in zip(keys.map { resolve($0).string ?? "" }, values).sorted(by: { $0.0 < $1.0 }) {
                result += lines(value, key, path, depth + 1)
            }
        } else {
            for entry in entries.sorted(by: { $0.key < $1.key }) where entry.key != "$class" {
                result += lines(entry.value, entry.key, path, depth + 1)
            }
        }
        return result
    }
}

private enum SwiftDataStores {
    static let folder: URL? = {
        guard let path = ProcessInfo.processInfo.environment["MODELC_CORPUS"] else { return nil }
        let url = URL(fileURLWithPath: path).appendingPathComponent("swiftdata/stores")
        return FileManager.default.fileExists(atPath: url.path) ? url : nil
    }()
}
