import Foundation

/// The locations of the project and its built program, and a temporary folder.
struct Workspace {
    /// The project's folder.
    let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    /// A new temporary folder, in memory if possible: the speed of the disk must not affect the results.
    let scratch: URL
    /// The release build of modelc.
    let modelc: String

    /// The folder with existing release builds of modelc and modelc-store, if the environment specifies one.
    private static var builtPrograms: String? { ProcessInfo.processInfo.environment["MODELC_RELEASE_PROGRAMS"] }

    /// The release build of modelc-store, which few benchmarks need.
    func modelcStore() throws -> String {
        if Self.builtPrograms == nil { _ = try Self.build("modelc-store", in: project) }
        return modelc + "-store"
    }

    init() throws {
        let memory = URL(fileURLWithPath: "/dev/shm")
        let base =
            FileManager.default.isWritableFile(atPath: memory.path) ? memory : FileManager.default.temporaryDirectory
        scratch = base.appendingPathComponent("modelc-benchmarks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        modelc = try (Self.builtPrograms ?? Self.build("modelc", in: project)) + "/modelc"
    }

    /// Builds a program of the project for release, and returns the folder that contains it.
    private static func build(_ product: String, in project: URL) throws -> String {
        FileHandle.standardError.write(Data("building \(product) for release\n".utf8))
        let command = [
            "swift", "build", "-c", "release", "--package-path", project.path, "--scratch-path",
            project.appendingPathComponent(".build-release").path,
        ]
        try Subprocess.output(command + ["--product", product])
        return try Subprocess.output(command + ["--show-bin-path"])
    }

    /// Removes the folder.
    func remove() { try? FileManager.default.removeItem(at: scratch) }

    /// Writes a model whose entities have 8.5 properties on average, and returns its path.
    func writeModel(entities count: Int) throws -> String {
        let bundle = scratch.appendingPathComponent("Model\(count).xcdatamodeld")
        let folder = bundle.appendingPathComponent("Model\(count).xcdatamodel")
        guard !FileManager.default.fileExists(atPath: folder.path) else { return bundle.path }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(SyntheticModel.text(entities: count).utf8).write(to: folder.appendingPathComponent("contents"))
        return bundle.path
    }

    /// Writes a folder of models, and returns its path and those of the XML files.
    func writeModels(bundles: Int, entities count: Int) throws -> (folder: String, files: [String]) {
        let folder = scratch.appendingPathComponent("Models")
        let versions = (0..<bundles).map { folder.appendingPathComponent("M\($0).xcdatamodeld/M\($0).xcdatamodel") }
        if !FileManager.default.fileExists(atPath: folder.path) {
            for version in versions {
                try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
                try Data(SyntheticModel.text(entities: count).utf8).write(
                    to: version.appendingPathComponent("contents"))
            }
        }
        return (folder.path, versions.map { $0.appendingPathComponent("contents").path })
    }

    /// Writes a bundle with many versions of a model, each with one more attribute than the previous one, and returns
    /// its path and those of the XML files.
    func writeVersions(_ versions: Int, entities count: Int) throws -> (bundle: String, files: [String]) {
        let bundle = scratch.appendingPathComponent("Versions\(versions).xcdatamodeld")
        let folders = (1...versions).map { bundle.appendingPathComponent("V\($0).xcdatamodel") }
        let files = folders.map { $0.appendingPathComponent("contents").path }
        guard !FileManager.default.fileExists(atPath: bundle.path) else { return (bundle.path, files) }
        let end = "    </entity>\n"
        for (index, folder) in folders.enumerated() {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            var parts = SyntheticModel.text(entities: count).components(separatedBy: end)
            for version in 0..<index {
                parts[version % count] +=
                    "        <attribute name=\"added\(version)\" optional=\"YES\" attributeType=\"String\"/>\n"
            }
            try Data(parts.joined(separator: end).utf8).write(to: folder.appendingPathComponent("contents"))
        }
        let current = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><dict><key>_XCCurrentVersionName</key><string>V\(versions).xcdatamodel</string></dict></plist>
            """
        try Data(current.utf8).write(to: bundle.appendingPathComponent(".xccurrentversion"))
        return (bundle.path, files)
    }

    /// Returns the path of the XML file in a model written by `writeModel`.
    func contents(of bundle: String) -> String {
        let name = URL(fileURLWithPath: bundle).deletingPathExtension().lastPathComponent
        return "\(bundle)/\(name).xcdatamodel/contents"
    }
}
