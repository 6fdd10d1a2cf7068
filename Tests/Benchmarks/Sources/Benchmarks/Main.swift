import Foundation

/// `Benchmarks [--filter NAME[,NAME…]] [--json] [--rounds N] [--quick] [--cpu]`: runs the benchmarks whose names
/// contain a NAME, and prints a table.
///
/// Without a filter, everything runs except `build/…`, which takes minutes. `--rounds` sets the number of rounds, 31 by
/// default. `--quick` runs each once with little data, to check that it works, and prints no figures. `--cpu` measures
/// the CPU time of this process and takes minima, which suits busy machines.
@main
enum Main {
    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("error: \(error)\n".utf8))
            exit(2)
        }
    }

    private static func run(_ arguments: [String]) throws {
        var filter: String?
        var isJSON = false
        var rounds = 31
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--filter": filter = rest.popFirst()
            case "--json": isJSON = true
            case "--rounds": rounds = rest.popFirst().flatMap { Int($0) } ?? rounds
            case "--quick": Amount.isQuick = true
            case "--cpu": Timing.countsProcessorTime = true
            case "--memory":
                let workspace = try Workspace()
                defer { workspace.remove() }
                return try ObjectBenchmarks.printMemory(rest.popFirst() ?? "", workspace)
            case "--migration-policy": return try MigrationBenchmarks.printPolicy(Array(rest))
            case "--postgresql-client": return try PostgreSQLStack.runClient(Array(rest))
            case "--store-memory": return try StoreMemoryBenchmarks.printMemory(Array(rest))
            default:
                throw CommandFailure(
                    description: "usage: Benchmarks [--filter NAME[,NAME…]] [--json] [--rounds N] [--quick] [--cpu]")
            }
        }
        let workspace = try Workspace()
        defer { workspace.remove() }
        let stack = BenchStack(workspace)
        let stores = StoreStack(workspace)
        let servers = PostgreSQLStack(workspace)
        defer { servers.stop() }
        let all =
            GenerateBenchmarks.all(workspace, rounds: rounds) + CompileBenchmarks.all(workspace, rounds: rounds)
            + LintBenchmarks.all(workspace, rounds: rounds) + EvolutionBenchmarks.all(workspace, rounds: rounds)
            + SwiftDataBenchmarks.all(workspace, rounds: rounds)
            + StoreMakeBenchmarks.all(workspace, rounds: rounds)
            + StoreDoctorBenchmarks.all(workspace, rounds: rounds) + ObjectBenchmarks.all(stack, rounds: rounds)
            + FetchBenchmarks.all(stack, rounds: rounds)
            + ResultsBenchmarks.all(stack, rounds: rounds)
            + RuntimeBenchmarks.all(workspace, rounds: rounds)
            + StoreBenchmarks.all(stores, rounds: rounds)
            + StoreRelationshipBenchmarks.all(stores, rounds: rounds)
            + FloorBenchmarks.all(stores, rounds: rounds)
            + GRDBBenchmarks.all(stores, rounds: rounds)
            + QuotedBenchmarks.all(QuotedStack(workspace), rounds: rounds)
            + StoreMemoryBenchmarks.all(stores)
            + MigrationBenchmarks.all(stores, workspace)
            + PostgreSQLBenchmarks.all(servers, rounds: rounds)
            + BuildBenchmarks.all(workspace)
        // Builds take minutes, and run only if they are named.
        let wanted = all.filter { benchmark in
            filter.map { $0.split(separator: ",").contains { benchmark.name.contains($0) } }
                ?? !benchmark.name.hasPrefix("build/")
        }
        if Amount.isQuick {
            for benchmark in wanted {
                _ = try benchmark.run()
                print("\(benchmark.name): works")
            }
            return
        }
        let measurements = try wanted.map { try $0.run() }
        print(isJSON ? try json(measurements) : table(measurements))
    }

    private static func json(_ measurements: [Measurement]) throws -> String {
        let objects = measurements.map { measurement -> [String: Any] in
            [
                "case": measurement.name, "size": measurement.size, "ours": measurement.ours,
                "reference": measurement.reference, "ratio": measurement.ratio,
                "referenceName": measurement.referenceName, "unit": measurement.unit.rawValue,
            ]
        }
        let data = try JSONSerialization.data(withJSONObject: objects, options: [.prettyPrinted, .sortedKeys])
        return String(decoding: data, as: UTF8.self)
    }

    private static func table(_ measurements: [Measurement]) -> String {
        let header = ["case", "size", "ours", "reference", "ratio"]
        let rows = measurements.map { measurement in
            [
                measurement.name, measurement.size, measurement.unit.text(measurement.ours),
                "\(measurement.unit.text(measurement.reference)) (\(measurement.referenceName))",
                String(format: "%.2f", measurement.ratio),
            ]
        }
        let widths = header.indices.map { column in ([header] + rows).map { $0[column].count }.max() ?? 0 }
        return ([header] + rows).map { row in
            zip(row, widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }.joined(separator: "  ")
        }.joined(separator: "\n")
    }
}
