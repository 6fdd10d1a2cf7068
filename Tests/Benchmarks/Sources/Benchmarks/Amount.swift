/// The amounts of data that benchmarks use. A smoke run uses less of everything: it shows that the programs work.
enum Amount {
    /// Whether this is a smoke run: `--quick`.
    nonisolated(unsafe) static var isQuick = false

    /// Returns a number of rows or objects, at most 10,000 in a smoke run.
    static func rows(_ count: Int) -> Int { isQuick ? min(count, 10_000) : count }

    /// Returns a number of entities of a model, or of versions of one, at most 20 in a smoke run.
    static func entities(_ count: Int) -> Int { isQuick ? min(count, 20) : count }

    /// Returns a number of programs, at most 2 in a smoke run.
    static func programs(_ count: Int) -> Int { isQuick ? min(count, 2) : count }

    /// Returns a number of small transactions, at most 200 in a smoke run.
    static func saves(_ count: Int) -> Int { isQuick ? min(count, 200) : count }
}
