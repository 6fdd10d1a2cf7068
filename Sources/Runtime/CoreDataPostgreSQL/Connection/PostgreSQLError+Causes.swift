internal import CoreData
internal import Foundation
internal import PostgreSQLClient

/// The causes of a server's errors, and errors of Cocoa.
extension PostgreSQLError {
    /// The five characters of SQLSTATE; empty if the server has not answered.
    var code: String { sqlState ?? "" }

    /// The message with what the server added to it, in the form in which the errors of stores have it.
    var report: String {
        [message, detail ?? "", hint ?? ""].filter { !$0.isEmpty }.joined(separator: "; ")
            + (code.isEmpty ? "" : " [\(code)]")
    }

    /// Whether the connection was lost, so that it is unknown what the server did.
    var isLost: Bool { kind == .connectionLost }

    /// Whether it could not be determined whether the server has committed the transaction.
    var hasUnknownOutcome: Bool { unknownTransaction != nil }

    /// Whether a uniqueness constraint was violated.
    var isUniqueness: Bool { code == "23505" }

    /// Whether a value is too large for an index or a message.
    var isTooLarge: Bool { code == "54000" }

    /// Whether the same transaction may succeed if it is repeated: a serialization failure or a deadlock.
    var isRepeatable: Bool { code == "40001" || code == "40P01" }

    /// Whether tables that are other than expected may be the cause.
    var isOfSchema: Bool {
        ["42", "22", "0A"].contains { code.hasPrefix($0) } || code == "23502" || code == "23503"
    }

    /// Whether a lock was not granted in time.
    var isLockTimeout: Bool { code == "55P03" }

    /// Whether a foreign key constraint was violated.
    var isReference: Bool { code == "23503" }

    /// Whether the server cannot execute this statement in principle: data out of range, too complex, or an unsupported
    /// statement. Missing tables, columns and privileges do not count: they are errors.
    var isOfStatement: Bool {
        if ["42501", "42P01", "42703"].contains(code) { return false }
        return code.hasPrefix("22") || code.hasPrefix("42") || code.hasPrefix("54")
    }

    /// Returns a Core Data error with the server's own message.
    func cocoaError(_ code: CocoaError.Code, _ what: String) -> NSError {
        let isRefused = self.code == "42501" || self.code == "25006"
        let help = isRefused ? "; grant the role the privilege, or open the store read-only" : ""
        return CoreDataError.error(
            code, text: "\(what): \(report)\(help)", userInfo: ["NSPostgreSQLStateErrorKey": self.code])
    }
}
