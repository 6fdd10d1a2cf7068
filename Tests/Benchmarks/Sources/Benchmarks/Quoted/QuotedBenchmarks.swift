/// Reimplementations of benchmarks that other projects have published. Results on other devices cannot be compared.
enum QuotedBenchmarks {
    static func all(_ stack: QuotedStack, rounds: Int) -> [Benchmark] {
        let few = max(3, rounds / 6)
        return NorthwindBenchmarks.all(stack, rounds: few) + IntegersBenchmarks.all(stack, rounds: few)
            + UserBenchmarks.all(stack, rounds: few) + StudentBenchmarks.all(stack)
            + DocumentBenchmarks.all(stack, rounds: few)
    }
}
