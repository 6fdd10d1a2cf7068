import Foundation

/// `modelc lint` as a whole process, against a program that only parses the same files.
enum LintBenchmarks {
    static func all(_ workspace: Workspace, rounds: Int) -> [Benchmark] {
        func lint(_ path: String, _ options: [String] = []) throws -> Double {
            try Subprocess.time(workspace.modelc, ["lint", path, "--reporter", "xcode"] + options, mayFind: true)
        }
        func xmllint(_ files: [String]) throws -> Double {
            try Subprocess.time("/usr/bin/xmllint", ["--noout"] + files, mayFind: true)
        }
        func model(_ count: Int) throws -> String { try workspace.writeModel(entities: count) }
        func tree() throws -> (folder: String, files: [String]) {
            try workspace.writeModels(bundles: 20, entities: 30)
        }
        var benchmarks = [
            Benchmark(
                name: "lint/model", size: "100 entities, 850 properties", rounds: rounds,
                ours: { try lint(try model(Amount.entities(100))) },
                reference: { try xmllint([workspace.contents(of: try model(Amount.entities(100)))]) },
                referenceName: "xmllint --noout"),
            Benchmark(
                name: "lint/tree", size: "20 models of 30 entities", rounds: rounds,
                ours: { try lint(try tree().folder) },
                reference: { try xmllint(try tree().files) }, referenceName: "xmllint --noout"),
            Benchmark(
                name: "lint/growth", size: "1000 entities against 100", rounds: max(3, rounds / 3),
                ours: { try lint(try model(Amount.entities(1000))) },
                reference: { try lint(try model(Amount.entities(100))) },
                referenceName: "modelc, a tenth of the model"),
            Benchmark(
                name: "format/check", size: "20 models of 30 entities", rounds: rounds,
                ours: {
                    try Subprocess.time(
                        workspace.modelc, ["format", "--check", try tree().folder], mayFind: true)
                }, reference: { try xmllint(try tree().files) }, referenceName: "xmllint --noout"),
        ]
        if let corpus = ProcessInfo.processInfo.environment["MODELC_CORPUS"] {
            let files = contentsFiles(below: corpus + "/models")
            benchmarks.append(
                Benchmark(
                    name: "lint/corpus", size: "\(files.count) real model files", rounds: rounds,
                    ours: { try lint(corpus + "/models") }, reference: { try xmllint(files) },
                    referenceName: "xmllint --noout"))
        }
        return benchmarks
    }

    private static func contentsFiles(below folder: String) -> [String] {
        let paths = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return paths.filter { $0.hasSuffix(".xcdatamodel/contents") }.sorted().map { folder + "/" + $0 }
    }
}
