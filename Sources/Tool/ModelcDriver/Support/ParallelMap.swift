internal import CLibrary

/// Work on many items in parallel, with POSIX threads: Dispatch and Swift concurrency take longer to load than most
/// models take to check.
enum ParallelMap {
    /// The minimum number of items that are worth a thread.
    private static let minimumShare = 4
    private static let maximumThreads = 8

    /// Returns the results for items, in their order.
    ///
    /// - Parameter transform: A function that is called on several threads at once, exactly once for each item.
    static func map<Item: Sendable, Result: Sendable>(
        _ items: [Item], _ transform: @escaping @Sendable (Item) -> Result
    ) -> [Result] {
        let cores = Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        let count = min(cores, maximumThreads, items.count / minimumShare)
        guard count > 1 else { return items.map(transform) }
        let work = Work(items, transform)
        // This thread takes its share too. If a thread cannot be created, the others do its work.
        let threads = (1..<count).compactMap { _ in start { work.run() } }
        work.run()
        for thread in threads { pthread_join(thread, nil) }
        return work.results.compactMap { $0 }
    }

    /// The state that the threads share. Each result is written by the one thread that took its index, and read after
    /// all threads have ended.
    private final class Work<Item: Sendable, Result: Sendable>: @unchecked Sendable {
        private let items: [Item]
        private let transform: @Sendable (Item) -> Result
        private let storage: UnsafeMutableBufferPointer<Result?>
        private let next = Locked(0)

        init(_ items: [Item], _ transform: @escaping @Sendable (Item) -> Result) {
            self.items = items
            self.transform = transform
            storage = .allocate(capacity: items.count)
            storage.initialize(repeating: nil)
        }

        deinit {
            storage.deinitialize()
            storage.deallocate()
        }

        var results: [Result?] { Array(storage) }

        func run() {
            while let index = take() { storage[index] = transform(items[index]) }
        }

        private func take() -> Int? {
            next.withLock { next in
                guard next < items.count else { return nil }
                next += 1
                return next - 1
            }
        }
    }

    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// The size of a thread's stack: that of the main thread on most systems. The default of threads is less than a
    /// megabyte on macOS and with musl, too little for deeply nested input.
    static let stackSize = 8 << 20

    /// Starts a thread. Returns `nil` if the system cannot create it.
    ///
    /// - Parameter blocksSignals: Whether no signal is delivered to the thread. Programs that it starts inherit that.
    static func start(blocksSignals: Bool = false, _ run: @escaping @Sendable () -> Void) -> pthread_t? {
        var previous = sigset_t()
        if blocksSignals {
            var all = sigset_t()
            sigfillset(&all)
            pthread_sigmask(SIG_SETMASK, &all, &previous)
        }
        defer { if blocksSignals { pthread_sigmask(SIG_SETMASK, &previous, nil) } }
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setstacksize(&attributes, stackSize)
        defer { pthread_attr_destroy(&attributes) }
        let body = Unmanaged.passRetained(Body(run)).toOpaque()
        #if canImport(Darwin)
        var thread: pthread_t?
        let status = pthread_create(
            &thread, &attributes,
            { argument in
                Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, body)
        #else
        var thread = pthread_t()
        let status = pthread_create(
            &thread, &attributes,
            { argument in
                if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
                return nil
            }, body)
        #endif
        guard status == 0 else {
            Unmanaged<Body>.fromOpaque(body).release()
            return nil
        }
        return thread
    }
}
