import Foundation

/// A comparison of two ways to do something, measured alternately in one run: the machines are noisy and shared, so
/// only the ratio is meaningful.
struct Benchmark {
    /// The name, in the form `area/what`.
    var name: String
    /// A description of the amount of data.
    var size: String
    /// The number of runs of each side; the result is the median.
    var rounds: Int
    /// Runs our side once and returns its duration in seconds.
    var ours: () throws -> Double
    /// Runs the reference once and returns its duration in seconds.
    var reference: () throws -> Double
    /// The name of the reference.
    var referenceName: String
    /// The unit of the results.
    var unit = Unit.seconds

    /// Runs both sides alternately; in a smoke run, once.
    func run() throws -> Measurement {
        let rounds = Amount.isQuick ? 1 : rounds
        if !Amount.isQuick { _ = try (ours(), reference()) }
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

/// The measurement of time in this process.
enum Timing {
    /// Whether CPU time is measured, which other programs disturb less than elapsed time: `--cpu`.
    nonisolated(unsafe) static var countsProcessorTime = false

    /// Whether our side is running.
    nonisolated(unsafe) static var isOurs = false
    private static let profiler: Int32 = getenv("PERF_CONTROL").map { open($0, O_RDWR) } ?? -1

    /// Tells a profiler when the measured code begins and ends: `perf record --delay -1 --control fifo:PERF_CONTROL`,
    /// where the environment variable `PERF_CONTROL` contains the FIFO's path.
    static func profile(_ begins: Bool) {
        guard profiler >= 0, isOurs else { return }
        let text = begins ? "enable\n" : "disable\n"
        _ = text.withCString { write(profiler, $0, strlen($0)) }
        usleep(20_000)
    }

    /// The seconds since an arbitrary time in the past.
    static var now: Double {
        var time = timespec()
        clock_gettime(countsProcessorTime ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}

/// The unit in which the table shows values; the values themselves are in seconds or bytes.
enum Unit: String {
    case seconds
    case bytes
    case megabytes
    case count

    /// Returns a value as shown in the table.
    func text(_ value: Double) -> String {
        switch self {
        case .seconds: String(format: "%.1f ms", value * 1000)
        case .bytes: String(format: "%.0f bytes", value)
        case .count: String(format: "%.0f", value)
        case .megabytes: String(format: "%.1f MB", value / 1_000_000)
        }
    }
}

/// The result of a benchmark, in its unit.
struct Measurement {
    var name: String
    var size: String
    var ours: Double
    var reference: Double
    var referenceName: String
    var unit = Unit.seconds

    var ratio: Double { reference > 0 ? ours / reference : .infinity }
}
