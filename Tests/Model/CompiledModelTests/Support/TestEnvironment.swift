// Foundation is imported only here, since it has types named Predicate and Expression, too.
import Foundation

enum TestEnvironment {
    /// The duration of the fuzz tests in seconds: MODELC_FUZZ_SECONDS, or 1.
    static var fuzzSeconds: Double {
        ProcessInfo.processInfo.environment["MODELC_FUZZ_SECONDS"].flatMap(Double.init) ?? 1
    }
}
