import Foundation
import Testing

// The search locations of models are visible to users only through the models found, so these tests use internals.
@testable import CoreData

@Suite struct ModelLocatorTests {
    @Test func theProgramsOwnBundleComesFirst() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for name in ["Shop_Base.resources", "Shop_App.resources", "Shop_Other.bundle", "App", "Shop_App.swiftmodule"] {
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent(name), withIntermediateDirectories: true)
        }
        let found = ModelLocator.resourceBundles(beside: folder, of: "Other").map(\.lastPathComponent)
        #expect(found == ["Shop_Other.bundle", "Shop_App.resources", "Shop_Base.resources"])
    }

    /// Returns a program's folder with a resource bundle for each model.
    private func program(_ models: [String: String]) throws -> (CompiledFixture, Bundle) {
        let fixture = try CompiledFixture()
        for (bundle, xml) in models {
            let momd = try fixture.compile("Model", versions: ["Model": xml], current: nil)
            let folder = fixture.folder.appendingPathComponent(bundle)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try FileManager.default.moveItem(at: momd, to: folder.appendingPathComponent("Model.momd"))
        }
        return (fixture, try #require(Bundle(path: fixture.folder.path)))
    }

    private func model(_ entity: String, attribute: String = "name") -> String {
        """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="\(entity)" syncable="YES"><attribute name="\(attribute)" optional="YES" attributeType="String"/></entity>
        </model>
        """
    }

    @Test func theMainBundleIncludesTheResourceBundlesBesideIt() throws {
        let (fixture, main) = try program(["Shop_App.resources": model("Order"), "Shop_Base.bundle": model("Item")])
        defer { withExtendedLifetime(fixture) {} }
        for bundles in [nil, [], [main]] as [[Bundle]?] {
            let found = ModelLocator.models(in: bundles, main: main)
            let folders = found.map { $0.deletingLastPathComponent().lastPathComponent }
            #expect(folders.sorted() == ["Shop_App.resources", "Shop_Base.bundle"])
        }
    }

    @Test func otherBundlesAreSearchedAlone() throws {
        let (fixture, main) = try program(["Shop_App.resources": model("Order"), "Shop_Base.bundle": model("Item")])
        let base = try #require(Bundle(path: fixture.folder.appendingPathComponent("Shop_Base.bundle").path))
        #expect(ModelLocator.models(in: [base], main: main).count == 1)
        let merged = try #require(NSManagedObjectModel.mergedModel(from: [base]))
        #expect(merged.entities.map(\.name) == ["Item"])
    }

    /// `Bundle(for:)` returns the main bundle on Linux, unlike for a framework's class on Apple's platforms.
    @Test func theBundleOfAClassIsTheMainBundle() {
        #expect(
            Bundle(for: CompiledFixture.self).bundleURL.standardizedFileURL == Bundle.main.bundleURL.standardizedFileURL
        )
    }
}
