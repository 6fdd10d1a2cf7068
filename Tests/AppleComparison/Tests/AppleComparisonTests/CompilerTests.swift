#if canImport(Darwin)
import CoreData
import Testing

/// Apple's compilers and SDK agree with modelc's output.
@Suite struct CompilerTests {
    /// Runs a developer tool, and returns whether it succeeded and what it printed.
    private func run(_ arguments: [String]) throws -> (isSuccess: Bool, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/xcrun")
        process.arguments = arguments
        let pipe = Pipe()
        (process.standardOutput, process.standardError) = (pipe, pipe)
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus == 0, output)
    }

    private func compile(_ tool: String, _ source: URL, _ output: URL) throws {
        guard try run(["--find", tool]).isSuccess else { throw Skip(reason: "\(tool) needs Xcode") }
        let result = try run([tool, source.path, output.path])
        guard result.isSuccess else { throw Difference(description: "\(tool) failed: \(result.output)") }
    }

    private func scratch() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    private func source(_ name: String) -> URL {
        Fixtures.folder.deletingLastPathComponent().appendingPathComponent("Models").appendingPathComponent(name)
    }

    @Test(arguments: ["Everything", "Plain"]) func momcWritesEqualModels(name: String) throws {
        try ComparisonTable.shared.record("compilers: momc \(name)") {
            let folder = try scratch()
            try compile("momc", source("\(name).xcdatamodeld"), folder.appendingPathComponent("\(name).momd"))
            for version in [name, "\(name) 2"] {
                let path = "\(name).momd/\(version).mom"
                guard let theirs = NSManagedObjectModel(contentsOf: folder.appendingPathComponent(path)),
                    let ours = NSManagedObjectModel(contentsOf: Fixtures.url(path))
                else { throw Difference(description: "\(path) cannot be loaded") }
                guard theirs.isEqual(ours) else { throw Difference(description: "\(path) is another model") }
            }
        }
    }

    @Test func mapcWritesAnEqualMappingModel() throws {
        try ComparisonTable.shared.record("compilers: mapc Plain") {
            let output = try scratch().appendingPathComponent("Plain.cdm")
            try compile("mapc", source("Plain to Plain 2.xcmappingmodel"), output)
            guard let theirs = NSMappingModel(contentsOf: output),
                let ours = NSMappingModel(contentsOf: Fixtures.url("Plain.cdm"))
            else { throw Difference(description: "a mapping model cannot be loaded") }
            try Difference.check(Self.text(ours), Self.text(theirs))
        }
    }

    private static func text(_ mapping: NSMappingModel) -> String {
        (mapping.entityMappings ?? []).map { entity in
            let properties = (entity.attributeMappings ?? []) + (entity.relationshipMappings ?? [])
            return
                ([
                    "\(entity.name ?? "") \(entity.mappingType.rawValue) \(entity.sourceEntityName ?? "") "
                        + "\(entity.destinationEntityName ?? "") \(entity.sourceEntityVersionHash?.hexadecimal ?? "") "
                        + "\(entity.destinationEntityVersionHash?.hexadecimal ?? "") "
                        + "\(entity.entityMigrationPolicyClassName ?? "") \(entity.sourceExpression?.description ?? "")"
                ] + properties.map { "  \($0.name ?? "") \($0.valueExpression?.description ?? "")" })
                .joined(separator: "\n")
        }.joined(separator: "\n")
    }

    @Test func theSDKCompilesGeneratedClasses() throws {
        try ComparisonTable.shared.record("generated code: Everything") {
            let folder = Fixtures.url("Generated")
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
                .map { folder.appendingPathComponent($0).path }
            let result = try run(["swiftc", "-typecheck", "-module-name", "Generated"] + files)
            guard result.isSuccess else { throw Difference(description: result.output) }
        }
    }
}
#endif
