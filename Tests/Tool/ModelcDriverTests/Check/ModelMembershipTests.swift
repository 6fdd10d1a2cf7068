import Foundation
import Testing

@testable import ModelcDriver

/// Whether a package builds a model.
@Suite struct ModelMembershipTests {
    /// A target that is the package's folder, and the folders from which it is named.
    @Test(arguments: ["", "Package/"], [".", "./"])
    func aTargetCanBeTheFolderOfThePackage(prefix: String, path: String) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let model = folder.appendingPathComponent("\(prefix)Data/M.xcdatamodeld")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        func rules(_ settings: String) throws -> [String] {
            let manifest = """
                // swift-tools-version: 6.0
                import PackageDescription
                let package = Package(
                    name: "P", targets: [.target(name: "P", path: "\(path)"\(settings))])
                """
            try Data(manifest.utf8).write(to: folder.appendingPathComponent("\(prefix)Package.swift"))
            var membership = ModelMembership(files: POSIXFileSystem(workingDirectory: folder.path))
            return membership.findings(["\(prefix)Data/M.xcdatamodeld"]).map(\.rule.rawValue)
        }
        #expect(try rules("") == [])
        #expect(try rules(", exclude: [\"Other\"]") == [])
        #expect(try rules(", exclude: [\"Data\"]") == ["model-in-no-target"])
        #expect(try rules(", resources: [.process(\"Data\")]") == ["model-not-compiled"])
        #expect(try rules(", resources: [.copy(\"Data/M.xcdatamodeld\")]") == ["model-not-compiled"])
        #expect(try rules(", resources: [.copy(\"Other\")]") == [])
    }
}
