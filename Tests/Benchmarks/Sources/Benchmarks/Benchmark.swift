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

    /// Runs both sides in turns.
    func run() throws -> Measurement {
        _ = try (ours(), reference())
        var oursTimes: [Double] = []
        var referenceTimes: [Double] = []
        for _ in 0..<rounds {
            oursTimes.append(try ours())
            referenceTimes.append(try reference())
        }
        return Measurement(
            name: name, size: size, ours: Self.median(oursTimes), reference: Self.median(referenceTimes),
            referenceName: referenceName)
    }

    private static func median(_ times: [Double]) -> Double {
        let sorted = times.sorted()
        return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    }
}

/// What a benchmark gave; seconds.
struct Measurement {
    var name: String
    var size: String
    var ours: Double
    var reference: Double
    var referenceName: String

    var ratio: Double { reference > 0 ? ours / reference : .infinity }
}
