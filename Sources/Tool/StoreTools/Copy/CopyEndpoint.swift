internal import CoreData
internal import Diagnostics
internal import Foundation
internal import ModelcDriver
internal import PostgreSQLSchema

/// The original or the copy of `modelc store copy`: a SQLite file, or a schema of a database.
struct CopyEndpoint<Client: DatabaseAdministration> {
    private let text: String
    private let files: any FileSystem
    private let client: Client?

    /// - Throws: If the text is the URL of a database that this program cannot connect to.
    init(_ text: String, schema: String?, _ files: any FileSystem) throws(InputFailure) {
        self.text = text
        self.files = files
        guard StoreCommand.isDatabase(text) else {
            client = nil
            return
        }
        do throws(DatabaseFailure) {
            client = try Client(url: text, configuration: nil, namespace: schema)
        } catch {
            throw Self.failure(error)
        }
    }

    var isDatabase: Bool { client != nil }

    /// The path of a file; `nil` for a database.
    var path: String? { isDatabase ? nil : text }

    /// The name in messages, without a password.
    var name: String { isDatabase ? Client.shown(text) : "“\(text)”" }

    /// The address with which a coordinator opens the store.
    func address() throws(InputFailure) -> StoreAddress {
        guard let client else { return Self.address(ofFile: files.systemPath(text)) }
        do throws(DatabaseFailure) {
            return try client.address
        } catch {
            throw Self.failure(error)
        }
    }

    static func address(ofFile path: String) -> StoreAddress {
        StoreAddress(url: URL(fileURLWithPath: path), type: NSSQLiteStoreType, options: nil)
    }

    /// Returns what a database says about its store; `nil` if it has none.
    func contents() throws(InputFailure) -> DatabaseContents? {
        do throws(DatabaseFailure) {
            return try client?.contents()
        } catch {
            throw Self.failure(error)
        }
    }

    /// Throws if there is a store in the database. A file is checked when its copy is staged.
    func requireNoStore() throws(InputFailure) {
        guard isDatabase, try contents() != nil else { return }
        throw InputFailure(
            diagnostics: [
                Diagnostic(
                    .error, rule: .fileSystem, "there is a store in \(name) already",
                    help: "Choose another database, or another schema with --to-schema. Nothing was changed.")
            ],
            exitCode: .couldNotRun)
    }

    /// Returns the number of transactions in the history.
    func transactionCount() throws(InputFailure) -> Int {
        if isDatabase { return try contents()?.transactions ?? 0 }
        do {
            return try StoreCopy.transactionCount(ofFile: files.systemPath(text))
        } catch {
            throw InputFailure(
                text, rule: .notAStore, message: "the store cannot be read: \((error as NSError).localizedDescription)",
                help: "Specify an intact store.")
        }
    }

    static func failure(_ failure: DatabaseFailure) -> InputFailure {
        InputFailure(
            diagnostics: [Diagnostic(.error, rule: .migrationFailed, failure.reason, help: failure.help)],
            exitCode: .couldNotRun)
    }
}
