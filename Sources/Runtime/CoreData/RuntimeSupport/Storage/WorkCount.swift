/// Counts the steps of loops over objects, for tests of how the work of a context grows. Does nothing in release builds.
///
/// Every function of a context's state whose time depends on a number of objects notes that number.
enum WorkCount {
    /// The steps that were noted while a test measures.
    final class Counter: @unchecked Sendable {
        // Used on the thread of the test.
        var steps = 0
    }

    #if DEBUG
    @TaskLocal static var counter: Counter?
    #endif

    /// Notes the steps of a loop.
    @inline(__always)
    static func record(_ steps: @autoclosure () -> Int) {
        #if DEBUG
        if let counter { counter.steps += steps() }
        #endif
    }
}
