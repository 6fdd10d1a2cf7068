import Foundation

/// A comparison of two ways to do something, measured in turns in one run: the machines are noisy and shared, and only
/// the ratio says something.
struct Benchmark {
    /// The name, `area/what`.
    var name: String
    /// How much is worked on, in words.
    var size: String
    /// How often each side is run; the median counts.
    var rounds: Int
    /// Runs our side once and gives the seconds it took.
    var ours: () throws -> Double
    /// Runs the reference once and gives the seconds it took.
    var reference: () throws -> Double
    /// What the reference is.
    var referenceName: String
    /// What is measured.
    var unit = Unit.seconds

    /// Runs both sides in turns.
    func run() throws -> Measurement {
        _ = try (ours(), reference())
        var oursTimes: [Double] = []
        var referenceTimes: [Double] = []
        for _ in 0..<rounds {
            Timing.isOurs = true
            oursTimes.append(try ours())
            Timing.isOurs = false
            referenceTimes.append(try reference())
        }
        return Measurement(
            name: name, size: size, ours: Self.typical(oursTimes), reference: Self.typical(referenceTimes),
            referenceName: referenceName, unit: unit)
    }

    /// Returns the median, or with `--cpu` the minimum.
    private static func typical(_ times: [Double]) -> Double {
        let sorted = times.sorted()
        if Timing.countsProcessorTime { return sorted.first ?? 0 }
        return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    }
}

/// How time is measured within this process.
enum Timing {
    /// Whether the processor's time counts, which other programs disturb less than the clock's: `--cpu`.
    nonisolated(unsafe) static var countsProcessorTime = false

    /// Whether our side runs.
    nonisolated(unsafe) static var isOurs = false
    private static let profiler: Int32 = getenv("PERF_CONTROL").map { open($0, O_RDWR) } ?? -1

    /// Tells a profiler when what is measured begins and ends: `perf record --delay -1 --control fifo:PERF_CONTROL`, where the
    /// environment variable of this name has the FIFO's path.
    static func profile(_ begins: Bool) {
        guard profiler >= 0, isOurs else { return }
        let text = begins ? "enable\n" : "disable\n"
        _ = text.withCString { write(profiler, $0, strlen($0)) }
        usleep(20_000)
    }

    /// Seconds since some time in the past.
    static var now: Double {
        var time = timespec()
        clock_gettime(countsProcessorTime ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}

/// What a benchmark measures: values are in seconds or bytes, whatever the table shows them in.
enum Unit {
    case seconds
    case bytes
    case megabytes
    case count

    /// A value as the table shows it.
    func text(_ value: Double) -> String {
        switch self {
        case .seconds: String(format: "%.1f ms", value * 1000)
        case .bytes: String(format: "%.0f bytes", value)
        case .count: String(format: "%.0f", value)
        case .megabytes: String(format: "%.1f MB", value / 1_000_000)
        }
    }
}

/// What a benchmark gave, in its unit.
struct Measurement {
    var name: String
    var size: String
    var ours: Double
    var reference: Double
    var referenceName: String
    var unit = Unit.seconds

    var ratio: Double { reference > 0 ? ours / reference : .infinity }
}
