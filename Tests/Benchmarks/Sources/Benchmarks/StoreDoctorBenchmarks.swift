import Foundation

/// `modelc-store check` and `export` as whole processes, against the sqlite3 shell.
enum StoreDoctorBenchmarks {
    /// The number of rows of each of the model's three entities, in a store that is made once.
    private static let rows = Amount.rows(330_000)
    private static let size = "\(3 * rows) objects of 11 types of attributes, with relationships"

    static func all(_ workspace: Workspace, rounds: Int) -> [Benchmark] {
        let store = Store(workspace)
        let rounds = max(2, rounds / 3)
        func shell(_ arguments: [String]) throws -> Double {
            try Subprocess.time("/usr/bin/sqlite3", [store.path()] + arguments)
        }
        func export(_ format: String) -> Benchmark {
            Benchmark(
                name: "store/export-\(format)", size: size, rounds: rounds,
                ours: {
                    let output = workspace.scratch.appendingPathComponent("export-\(format)").path
                    defer { try? FileManager.default.removeItem(atPath: output) }
                    return try Subprocess.time(
                        store.program(), ["export", store.path(), "--format", format, "--output", output])
                },
                reference: { try shell([".dump"]) }, referenceName: "sqlite3 .dump, discarded")
        }
        return [
            export("jsonl"), export("csv"),
            Benchmark(
                name: "store/check", size: size, rounds: rounds,
                ours: { try Subprocess.time(store.program(), ["check", store.path()]) },
                reference: { try shell(["PRAGMA integrity_check; " + store.scan()]) },
                referenceName: "integrity_check and a scan"),
            Benchmark(
                name: "store/check-values", size: size, rounds: rounds,
                ours: {
                    try Subprocess.time(store.program(), ["check", store.path(), "--except", "damaged-page"])
                },
                reference: { try shell([".dump"]) }, referenceName: "sqlite3 .dump, discarded"),
        ]
    }

    /// The store, which is made when it is first needed.
    private final class Store {
        private let workspace: Workspace
        private let url: URL
        private var built: String?

        init(_ workspace: Workspace) {
            self.workspace = workspace
            url = workspace.scratch.appendingPathComponent("mixed.sqlite")
        }

        func program() throws -> String {
            let program = try built ?? workspace.modelcStore()
            built = program
            return program
        }

        func path() throws -> String {
            guard !FileManager.default.fileExists(atPath: url.path) else { return url.path }
            let model = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("Generated/Mixed.xcdatamodeld").path
            _ = try Subprocess.time(
                program(), ["make", model, "--rows", "\(rows)", "--output", url.path])
            return url.path
        }

        /// Returns statements that read each column of each table.
        func scan() throws -> String {
            func list(_ sql: String) throws -> [Substring] {
                try Subprocess.output(["sqlite3", path(), sql]).split(separator: "\n")
            }
            let tables = try list("SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'Z[A-Z0-9]*'")
            return try tables.map { table in
                let columns = try list("SELECT name FROM pragma_table_info('\(table)')").map { "count(\($0))" }
                return "SELECT \(columns.joined(separator: ", ")) FROM \(table);"
            }.joined(separator: " ")
        }
    }
}
