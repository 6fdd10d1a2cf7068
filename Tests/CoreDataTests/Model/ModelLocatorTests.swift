import Foundation
import Testing

// Where models are looked for is nothing that a user sees but by what is found; so this looks inside.
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
}
