internal import CoreData
internal import Foundation
internal import PostgreSQLClient
internal import PostgreSQLSchema

/// A connection that reads one state of the database in an open transaction, with the cache for that state.
final class PostgreSQLView {
    fileprivate var session: PostgreSQLConnection?
    fileprivate var known: PostgreSQLStore.LoadedSchema
    /// Whether the store is reading from it.
    fileprivate var isInUse = false

    fileprivate init(_ session: PostgreSQLConnection, _ known: PostgreSQLStore.LoadedSchema) {
        self.session = session
        self.known = known
    }
}

/// The live views of a store. Used under the coordinator's lock.
final class PostgreSQLViews {
    private var views: [WeakView] = []

    private struct WeakView {
        weak var view: PostgreSQLView?
    }

    func add(_ view: PostgreSQLView) {
        views.removeAll { $0.view == nil }
        views.append(WeakView(view: view))
    }

    /// Ends all transactions, before the store is removed.
    func closeAll() {
        for view in views { view.view?.session = nil }
        views = []
    }
}

/// Generations.
extension PostgreSQLStore {
    func pinGeneration() throws -> AnyObject? {
        guard let host, let schema else { return nil }
        return try reporting(.persistentStoreOpen, what: "a state of the PostgreSQL store cannot be kept") {
            let session = try connections.pools(self).main.openConnection()
            // The first statement after BEGIN determines the state.
            let results = try session.run([
                PostgreSQLConnection.beginStatement(.repeatableRead, readOnly: true),
                Statement("SELECT \(stampQuery)"),
            ])
            try checkVersion(results[1].string(0, 0))
            let view = PostgreSQLView(session, loadSchema(schema, host))
            pins.add(view)
            return view
        }
    }

    func reading<Result>(_ view: AnyObject, _ body: () throws -> Result) rethrows -> Result {
        guard let view = view as? PostgreSQLView, !view.isInUse else { return try body() }
        view.isInUse = true
        let outer = connections.held
        connections.held = view.session
        let newest = exchange(view.known)
        defer {
            view.known = exchange(newest)
            connections.held = outer
            view.isInUse = false
        }
        return try body()
    }
}
