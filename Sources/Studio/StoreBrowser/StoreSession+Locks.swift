internal import CoreData
internal import Foundation
internal import StoreFile

/// Locks of other programs.
extension StoreSession {
    /// How to find out whether another program has locked the store.
    enum LockProbe {
        case connection(DatabaseInspection)
        /// Writers do not lock out readers.
        case unneeded
    }

    /// Whether another program has locked the store, so that reading it would wait.
    var isLocked: Bool {
        if probe == nil {
            guard kind == .sqlite else { return false }
            do throws(DatabaseInspection.Failure) {
                let inspection = try Self.inspection(url.path)
                // A connection to a log must not be kept: it could lock out others itself.
                probe = inspection.isInLogMode ? .unneeded : .connection(inspection)
            } catch {
                return error.isBusy
            }
        }
        guard case .connection(let connection) = probe else { return false }
        return connection.isLocked
    }

    /// Returns whether another program has locked a store that is not open.
    static func isLocked(storeAt path: String) -> Bool {
        do throws(DatabaseInspection.Failure) {
            return try inspection(path).isLocked
        } catch {
            return error.isBusy
        }
    }

    private static func inspection(_ path: String) throws(DatabaseInspection.Failure) -> DatabaseInspection {
        var options = DatabaseInspection.Options()
        options.access = .locking
        options.timeout = 0
        return try DatabaseInspection(path: path, options)
    }

    /// The explanation of a lock.
    var lockProblem: StoreProblem {
        let holders =
            StoreLock.holders(ofStoreAt: url.path).map { " by \($0)" } ?? " by another program"
        return StoreProblem(
            "the store is locked\(holders)", help: "Try again when the other program has finished writing.")
    }
}
