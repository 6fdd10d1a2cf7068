import CompiledModel
import CoreData
import ModelSchema
import Testing

/// Compiled models and stores written by Apple's tools, in the folder named by `MODELC_CORPUS`.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["MODELC_CORPUS"] != nil))
struct CorpusTests {
    private static func files(_ isIncluded: (String) -> Bool) -> [URL] {
        let root = URL(fileURLWithPath: ProcessInfo.processInfo.environment["MODELC_CORPUS"] ?? "")
        let paths = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
        return paths.filter(isIncluded).sorted().map { root.appendingPathComponent($0) }
    }

    private static func hashes(_ hashes: EntityVersionHashes) -> [String: Data] {
        Dictionary(uniqueKeysWithValues: hashes.elements.map { ($0.name, Data($0.hash.bytes)) })
    }

    /// Each compiled model loads and has the hashes given in its bundle's `VersionInfo.plist`.
    @Test func compiledModelsHaveTheirVersionHashes() throws {
        let files = Self.files { $0.hasSuffix(".mom") }
        #expect(!files.isEmpty)
        var compared = 0
        for file in files {
            let model = try #require(NSManagedObjectModel(contentsOf: file), "\(file.lastPathComponent)")
            let info = file.deletingLastPathComponent().appendingPathComponent("VersionInfo.plist")
            guard let bytes = try? Data(contentsOf: info) else { continue }
            let name = file.deletingPathExtension().lastPathComponent
            guard let version = try VersionInfo([UInt8](bytes)).versions.first(where: { $0.name == name }) else {
                continue
            }
            #expect(model.entityVersionHashesByName == Self.hashes(version.hashes), "\(file.lastPathComponent)")
            compared += 1
        }
        print("loaded \(files.count) compiled models, compared the hashes of \(compared)")
    }

    @Test func bundlesLoadIfTheyHaveVersions() throws {
        let bundles = Self.files { $0.hasSuffix(".momd") }
        for bundle in bundles {
            let hasVersions = try FileManager.default.contentsOfDirectory(atPath: bundle.path)
                .contains { $0.hasSuffix(".mom") }
            #expect((NSManagedObjectModel(contentsOf: bundle) != nil) == hasVersions, "\(bundle.lastPathComponent)")
        }
        print("loaded \(bundles.count) bundles")
    }
}
