import Foundation
import TestSupport
import Testing

/// The version of the project, which is in the sources of the tool and in the installer.
@Suite struct VersionTests {
    private func version(in path: String, _ pattern: Regex<(Substring, Substring)>) throws -> Substring {
        let text = try String(contentsOf: Checkout.root.appendingPathComponent(path), encoding: .utf8)
        return try #require(text.firstMatch(of: pattern), "\(path) has no version").output.1
    }

    @Test func theInstallerInstallsTheVersionOfTheSources() throws {
        let sources = try version(
            in: "Sources/Tool/ModelcDriver/Environment/ToolVersion.swift", /static let number = "(.*)"/)
        let installer = try version(in: "Packaging/install.sh", /(?m)^version=(.*)$/)
        #expect(installer == sources)
    }
}
