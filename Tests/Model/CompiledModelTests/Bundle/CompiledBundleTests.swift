import ModelSchema
import Testing

@testable import CompiledModel

@Suite struct CompiledBundleTests {
    private func version(_ name: String, _ entities: String...) throws -> EncodedModel {
        var model = Model(name: name)
        model.entities = entities.map { Entity(name: $0) }
        return try EncodedModel(model)
    }

    @Test func bundlesRoundTrip() throws {
        let bundle = try CompiledBundle(
            versions: [try version("Library 2", "Book", "Author"), try version("Library", "Book")],
            currentVersionName: "Library 2")
        #expect(Set(bundle.files.keys) == ["Library.mom", "Library 2.mom", "VersionInfo.plist"])
        let read = try CompiledBundle(files: bundle.files)
        #expect(read.versionNames == ["Library", "Library 2"])
        #expect(read.versionInfo == bundle.versionInfo)
        #expect(try read.currentVersionName() == "Library 2")
        let model = try DecodedModel(try read.bytes(ofVersion: "Library 2"), name: "Library 2").model
        #expect(model.entities.map(\.name) == ["Author", "Book"])
    }

    @Test func versionInfoMatchesApples() throws {
        let bundle = try CompiledBundle(versions: [try version("M", "AutoExtensionGen")], currentVersionName: nil)
        let info = try PropertyListValue(binary: try #require(bundle.files["VersionInfo.plist"]))
        #expect(
            info.dictionary?.map(\.key) == [
                "NSManagedObjectModel_VersionChecksums", "NSManagedObjectModel_VersionHashes",
            ])
        let hash = info["NSManagedObjectModel_VersionHashes"]?["M"]?["AutoExtensionGen"]?.data
        // The published vector of Documentation/Formats/VersionHashes.md, 6.
        #expect(
            hash.flatMap { VersionHash(bytes: $0) }?.hexString
                == "7269f68e9aff90822f687c0bd7906593b2bd3d37645993b8fe07f3800bdfb8da")
        #expect(
            info["NSManagedObjectModel_VersionChecksums"]?["M"]?.string == bundle.versionInfo?.versions.first?.checksum)
    }

    @Test func checksumsCanBeOmitted() throws {
        let bundle = try CompiledBundle(
            versions: [try version("M", "A")], currentVersionName: "M", writesChecksums: false)
        let info = try PropertyListValue(binary: try #require(bundle.files["VersionInfo.plist"]))
        #expect(info["NSManagedObjectModel_VersionChecksums"] == nil)
        #expect(info["NSManagedObjectModel_CurrentVersionName"] == .string("M"))
    }

    /// The form written by the compilers of 2012.
    @Test func versionInfoInXMLIsRead() throws {
        let hash = String(repeating: "A", count: 42) + "E="
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><dict>
            \t<key>NSManagedObjectModel_CurrentVersionName</key>
            \t<string>A &amp; B</string>
            \t<key>NSManagedObjectModel_VersionHashes</key>
            \t<dict><key>A &amp; B</key><dict><key>E</key><data>
            \t\(hash)
            \t</data></dict></dict>
            </dict></plist>
            """
        let info = try VersionInfo(Array(text.utf8))
        #expect(info.currentVersionName == "A & B")
        #expect(info.versions.map(\.name) == ["A & B"])
        #expect(info.versions.first?.hashes["E"]?.bytes == Array(repeating: 0, count: 31) + [1])
    }

    private func kind(_ body: () throws -> Void) -> CompiledBundleError.Kind? {
        do {
            try body()
            return nil
        } catch { return (error as? CompiledBundleError)?.kind }
    }

    @Test func invalidBundlesAreRejected() throws {
        let one = try version("A")
        #expect(kind { _ = try CompiledBundle(versions: [], currentVersionName: nil) } == .noVersions)
        #expect(kind { _ = try CompiledBundle(versions: [one, one], currentVersionName: nil) } == .unusableName)
        #expect(kind { _ = try CompiledBundle(versions: [one], currentVersionName: "B") } == .missingVersion)
        for name in ["", "../evil", "a/b", "a\0b"] {
            let version = try version(name)
            #expect(kind { _ = try CompiledBundle(versions: [version], currentVersionName: nil) } == .unusableName)
        }
    }

    @Test func unreadableBundlesAreErrors() throws {
        let bytes = try version("A").bytes
        #expect(kind { _ = try CompiledBundle(files: [:]) } == .noVersions)
        #expect(kind { _ = try CompiledBundle(files: [".mom": bytes, "A.omo": []]) } == .noVersions)
        #expect(
            kind { _ = try CompiledBundle(files: ["A.mom": bytes, "VersionInfo.plist": Array("<plist>".utf8)]) }
                == .propertyList(.isMalformed))
        let several = try CompiledBundle(files: ["A.mom": bytes, "B.mom": bytes])
        #expect(kind { _ = try several.currentVersionName() } == .noCurrentVersion)
        #expect(kind { _ = try several.bytes(ofVersion: "C") } == .missingVersion)
        let only = try CompiledBundle(files: ["A.mom": bytes])
        #expect(try only.currentVersionName() == "A")
        let info = VersionInfo(currentVersionName: "Gone", versions: []).binaryBytes()
        let missing = try CompiledBundle(files: ["A.mom": bytes, "VersionInfo.plist": info])
        #expect(kind { _ = try missing.currentVersionName() } == .missingVersion)
    }

    @Test(
        arguments: [
            .array([]), .dictionary([.init("NSManagedObjectModel_CurrentVersionName", .integer(1))]),
            .dictionary([.init("NSManagedObjectModel_VersionHashes", .array([]))]),
            .dictionary([.init("NSManagedObjectModel_VersionHashes", .dictionary([.init("V", .integer(1))]))]),
            .dictionary([
                .init(
                    "NSManagedObjectModel_VersionHashes",
                    .dictionary([.init("V", .dictionary([.init("E", .data([1]))]))]))
            ]),
        ] as [PropertyListValue])
    func malformedVersionInfoIsAnError(list: PropertyListValue) {
        #expect(kind { _ = try VersionInfo(list.binaryBytes()) } == .malformedVersionInfo)
    }
}
