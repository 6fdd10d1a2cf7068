internal import Foundation

/// A connection that reads one state of a store's file in an open transaction, with the caches for that state.
///
/// SQLite's snapshots, which would need no connection per state, are not compiled into most systems' libraries.
final class PinnedView {
    var state: SQLiteStore.ReadState
    /// Whether the store is reading from it.
    var isInUse = false

    init(_ state: SQLiteStore.ReadState) {
        self.state = state
    }

    deinit {
        close()
    }

    /// Ends the transaction.
    func close() {
        state.connection?.close()
        state.connection = nil
    }
}

/// The live views of a store. Used under the coordinator's lock.
final class PinnedViews {
    private var views: [WeakView] = []

    private struct WeakView {
        weak var view: PinnedView?
    }

    func add(_ view: PinnedView) {
        views.removeAll { $0.view == nil }
        views.append(WeakView(view: view))
    }

    /// Ends all transactions, before the store is removed.
    func closeAll() {
        for view in views { view.view?.close() }
        views = []
    }
}

/// Generations.
extension SQLiteStore {
    func pinGeneration() throws -> AnyObject? {
        guard let host, let schema else { return nil }
        return try reporting(.persistentStoreOpen, what: "a state of the store at \(fileURL.path) cannot be kept") {
            // In other journal modes, a reader would block writers.
            guard try connection().text("PRAGMA journal_mode")?.lowercased() == "wal" else { return nil }
            let connection = try file.open(isReadOnly: true, settings)
            let code = SQLFunctions.register(on: connection.handle)
            if code != 0 { throw connection.failure(code) }
            try connection.execute("BEGIN DEFERRED")
            // The first read determines the state.
            _ = try connection.integer("SELECT count(*) FROM sqlite_master")
            let view = PinnedView(ReadState(connection))
            reading(view) { use(schema, host) }
            pins.add(view)
            return view
        }
    }

    func reading<Result>(_ view: AnyObject, _ body: () throws -> Result) rethrows -> Result {
        guard let view = view as? PinnedView, !view.isInUse else { return try body() }
        view.isInUse = true
        exchange(&view.state)
        defer {
            exchange(&view.state)
            view.isInUse = false
        }
        return try body()
    }
}
