import Foundation

/// Where the project and its built program are, and a place for files that goes away.
struct Workspace {
    /// The project's folder.
    let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    /// A new folder, in memory if the machine has such a place: how fast a disk makes files says nothing of modelc.
    let scratch: URL
    /// The release build of modelc.
    let modelc: String

    init() throws {
        let memory = URL(fileURLWithPath: "/dev/shm")
        let base =
            FileManager.default.isWritableFile(atPath: memory.path) ? memory : FileManager.default.temporaryDirectory
        scratch = base.appendingPathComponent("modelc-benchmarks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        let buildFolder = project.appendingPathComponent(".build-release").path
        FileHandle.standardError.write(Data("building modelc for release\n".utf8))
        try Subprocess.output(
            "swift", "build", "-c", "release", "--package-path", project.path, "--scratch-path", buildFolder,
            "--product",
            "modelc")
        modelc =
            try Subprocess.output(
                "swift", "build", "-c", "release", "--package-path", project.path, "--scratch-path", buildFolder,
                "--show-bin-path") + "/modelc"
    }

    /// Removes the folder.
    func remove() { try? FileManager.default.removeItem(at: scratch) }

    /// Writes a model of some entities with 8.5 properties on average, and gives its path.
    func writeModel(entities count: Int) throws -> String {
        let bundle = scratch.appendingPathComponent("Model\(count).xcdatamodeld")
        let folder = bundle.appendingPathComponent("Model\(count).xcdatamodel")
        guard !FileManager.default.fileExists(atPath: folder.path) else { return bundle.path }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(SyntheticModel.text(entities: count).utf8).write(to: folder.appendingPathComponent("contents"))
        return bundle.path
    }

    /// Writes a folder of models, and gives its path and those of the XML files.
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

    /// The path of the XML file inside of a model that `writeModel` wrote.
    func contents(of bundle: String) -> String {
        let name = URL(fileURLWithPath: bundle).deletingPathExtension().lastPathComponent
        return "\(bundle)/\(name).xcdatamodel/contents"
    }
}
