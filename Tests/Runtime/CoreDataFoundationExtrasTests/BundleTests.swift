import CoreDataFoundationExtras
import Foundation
import Testing

@Suite struct BundleTests {
    private func folder(_ names: String...) throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        for name in names {
            try FileManager.default.createDirectory(
                at: folder.appendingPathComponent(name), withIntermediateDirectories: true)
        }
        return folder
    }

    @Test func aModuleHasTheFolderOfItsTarget() throws {
        let folder = try folder("App_My-Lib.resources", "App_Lib.resources", "App_Other.txt", "X_Deep_Lib2.bundle")
        defer { try? FileManager.default.removeItem(at: folder) }
        func name(_ module: String) -> String? {
            Bundle.resources(ofModule: module, beside: folder)?.lastPathComponent
        }
        #expect(name("My_Lib") == "App_My-Lib.resources")
        #expect(name("Lib2") == "X_Deep_Lib2.bundle")
        #expect(name("Other") == nil)
        #expect(name("Missing") == nil)
    }

    @Test func aModuleWithoutResourcesHasTheMainBundle() {
        final class Local {}
        #expect(Bundle(forModuleOf: Local.self).bundleURL.path == Bundle.main.bundleURL.path)
        #expect(!Bundle.main.bundleIdentifierOrProcessName.isEmpty)
    }

    @Test func resourcesAreURLs() throws {
        let folder = try folder("b.momd", "a.momd", "c.txt")
        defer { try? FileManager.default.removeItem(at: folder) }
        let bundle = try #require(Bundle(path: folder.path))
        let urls = bundle.urls(forResourcesWithExtension: "momd", subdirectory: nil)
        #expect(urls.map { Set($0.map(\.lastPathComponent)) } == ["a.momd", "b.momd"])
    }
}
