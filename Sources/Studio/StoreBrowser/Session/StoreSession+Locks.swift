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
            if DatabaseInspection.isInLogMode(path: url.path) == true {
                guard !DatabaseInspection.isLogLocked(path: url.path) else { return true }
                probe = .unneeded
            } else {
                do throws(DatabaseInspection.Failure) {
                    probe = .connection(try Self.inspection(url.path))
                } catch {
                    return error.isBusy
                }
            }
        }
        guard case .connection(let connection) = probe else { return false }
        return connection.isLocked
    }

    /// Returns whether another program has locked a store that is not open.
    static func isLocked(storeAt path: String) -> Bool {
        if DatabaseInspection.isInLogMode(path: path) == true { return DatabaseInspection.isLogLocked(path: path) }
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
