/// Counts the steps of loops over objects, for tests of how the work of a context grows. Does nothing in release
/// builds.
///
/// Every function of a context's state whose time depends on a number of objects records that number.
public enum WorkCount {
    /// The steps that were recorded while a test measures.
    public final class Counter: @unchecked Sendable {
        /// The number of steps. Used on the thread of the test.
        public var steps = 0

        /// Creates a counter at zero.
        public init() {}
    }

    #if DEBUG
    /// The counter of the test that measures.
    @TaskLocal public static var counter: Counter?
    #endif

    /// Records the steps of a loop.
    @inlinable @inline(__always)
    public static func record(_ steps: @autoclosure () -> Int) {
        #if DEBUG
        if let counter { counter.steps += steps() }
        #endif
    }
}
