import SwiftData

/// Compares work by SwiftData models with the same work by generated Core Data classes, alternately in one run; the
/// ratios of the least processor times count.
///
///     swift run -c release --package-path Tests/Benchmarks/SwiftData SwiftDataBenchmarks [NAME] [--rounds N] [--count N]
///
/// NAME is `insert`, `read`, `update`, `search`, `access`, `users` or `students`; all of them by default.
/// `--only swiftdata` or `--only coredata` runs one side for a profiler.
@main
struct Main {
    static func main() throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        func option(_ name: String) -> String? {
            guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return nil }
            defer { arguments.removeSubrange(index...index + 1) }
            return arguments[index + 1]
        }
        let rounds = option("--rounds").flatMap(Int.init) ?? 7
        let count = option("--count").flatMap(Int.init) ?? 20_000
        let only = option("--only")
        for (name, work) in comparisons(count) where arguments.isEmpty || arguments.contains(name) {
            try compare(name, work, rounds: rounds, only: only)
        }
        for (name, work) in workloads(count) where arguments.isEmpty || arguments.contains(name) {
            print("\(name): \(count) objects, \(text(try time(work))) s")
        }
    }

    typealias Work = (coreData: () throws -> () throws -> Void, swiftData: () throws -> () throws -> Void)

    /// The prepared work of both sides.
    static func comparisons(_ count: Int) -> [(String, Work)] {
        func prepared(
            _ core: @escaping (CoreDataSide) throws -> Void, _ swift: @escaping (SwiftDataSide) throws -> Void
        ) -> Work {
            (
                {
                    let side = try CoreDataSide()
                    try side.insert(count)
                    return { try core(side) }
                },
                {
                    let side = try SwiftDataSide()
                    try side.insert(count)
                    return { try swift(side) }
                }
            )
        }
        return [
            (
                "insert",
                (
                    { { [side = try CoreDataSide()] in try side.insert(count) } },
                    { { [side = try SwiftDataSide()] in try side.insert(count) } }
                )
            ),
            ("read", prepared({ _ = try $0.read() }, { _ = try $0.read() })),
            ("update", prepared({ try $0.update() }, { try $0.update() })),
            ("search", prepared({ _ = try $0.search(100) }, { _ = try $0.search(100) })),
            ("access", prepared({ _ = try $0.access(500) }, { _ = try $0.access(500) })),
        ]
    }

    static func compare(_ name: String, _ work: Work, rounds: Int, only: String?) throws {
        var best = ["coredata": Double.infinity, "on": .infinity, "off": .infinity]
        for _ in 0..<rounds {
            if only != "swiftdata" { best["coredata"] = min(best["coredata"] ?? 0, try time(work.coreData())) }
            guard only != "coredata" else { continue }
            for key in only == nil ? ["on", "off"] : ["off"] {
                ModelObservation.isEnabled = key == "on"
                best[key] = min(best[key] ?? 0, try time(work.swiftData()))
            }
        }
        let (core, on, off) = (best["coredata"] ?? 0, best["on"] ?? 0, best["off"] ?? 0)
        print(
            "\(name): Core Data \(text(core)) s, off \(text(off)) s = \(text(off / core)), on \(text(on)) s = \(text(on / core))"
        )
        ModelObservation.isEnabled = true
    }

    static func text(_ value: Double) -> String { String(format: "%.3f", value) }

    /// Returns the processor time of work.
    static func time(_ work: () throws -> Void) rethrows -> Double {
        func now() -> Double {
            var time = timespec()
            clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
        }
        let start = now()
        try work()
        return now() - start
    }
}
