import Foundation

/// `modelc hash` of a target with SwiftData models as a whole process, against a program that reads the same bytes.
enum SwiftDataBenchmarks {
    static func all(_ workspace: Workspace, rounds: Int) -> [Benchmark] {
        let count = Amount.saves(400)
        return [
            Benchmark(
                name: "swiftdata/hash", size: "\(count) files", rounds: max(2, rounds),
                ours: {
                    let folder = try workspace.writeSwiftDataSources(count).folder
                    return try Subprocess.time(workspace.modelc, ["hash", folder])
                },
                reference: {
                    let files = try workspace.writeSwiftDataSources(count).files
                    return try Subprocess.time("/usr/bin/cksum", files)
                }, referenceName: "cksum")
        ]
    }
}

extension Workspace {
    /// Writes a folder of Swift files with one model each, most of whose code is not stored, and returns its path and
    /// those of the files.
    func writeSwiftDataSources(_ count: Int) throws -> (folder: String, files: [String]) {
        let folder = scratch.appendingPathComponent("SwiftData\(count)")
        let files = (0..<count).map { folder.appendingPathComponent("Model\($0).swift") }
        let paths = files.map(\.path)
        guard !FileManager.default.fileExists(atPath: folder.path) else { return (folder.path, paths) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let types = ["String", "Int?", "Bool", "Date?", "Double", "UUID", "Data?"]
        for (index, file) in files.enumerated() {
            var text = "import Foundation\nimport SwiftData\n\n/// A model.\n@Model final class Model\(index) {\n"
            for property in 0..<12 {
                text += "    /// A property.\n    var p\(property): \(types[(index + property) % types.count])\n"
            }
            if index > 0 {
                text += "    @Relationship(inverse: \\Model\(index - 1).next) var previous: [Model\(index - 1)] = []\n"
            }
            if index < count - 1 { text += "    var next: Model\(index + 1)?\n" }
            text += "    var value: Value\(index)?\n    init() {}\n\n"
            for number in 0..<10 {
                text += """
                        func work\(number)(_ x: Int) -> String {
                            let y = x * \(number)
                            return y > 3 ? "a \\(y)" : "b { \\(x)"
                        }

                        var computed\(number): Int { p\(number).hashValue + \(number) }


                    """
            }
            text += "}\n\nstruct Value\(index): Codable {\n    var a: String\n    var b: Int?\n}\n"
            try Data(text.utf8).write(to: file)
        }
        return (folder.path, paths)
    }
}
