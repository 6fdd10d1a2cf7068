/// A failure of a request to a PostgreSQL server, with the server's message if it has responded.
package struct PostgreSQLError: Error, Sendable, Hashable {
    /// The class of an error, by which a caller decides how to handle it.
    package enum Kind: Sendable, Hashable {
        /// The URL or a connection parameter is invalid.
        case invalidParameters
        /// No connection could be opened: no server, wrong password, TLS refused, unknown database, too many
        /// connections.
        case cannotConnect
        /// The connection broke, or the server closed it. Whether the statement took effect is unknown.
        case connectionLost
        /// The server could not serialize concurrent transactions; the transaction can be repeated.
        case serializationFailure
        /// The transaction was chosen to end a deadlock; it can be repeated.
        case deadlock
        case uniqueViolation
        case foreignKeyViolation
        case notNullViolation
        /// A check or exclusion constraint was violated.
        case constraintViolation
        case insufficientPrivilege
        /// A write on a standby or in a read-only transaction.
        case readOnly
        case diskFull
        /// The statement exceeded `statement_timeout`, `lock_timeout` or the pool's waiting limit.
        case timeout
        /// The statement was canceled on request.
        case canceled
        /// A statement of a pipeline was not run because an earlier one failed.
        case notRun
        /// A value is outside of its type's range, or contains data that the server cannot store.
        case invalidValue
        /// The server's response was unexpected, such as a value of a different type.
        case unexpectedAnswer
        case other
    }

    /// The class of the error.
    package let kind: Kind
    /// The primary message of the server, libpq or the client.
    package var message: String
    /// The five-character SQLSTATE, or `nil` if the server has not responded.
    package var sqlState: String?
    /// `ERROR`, `FATAL` or `PANIC`, or `nil` if the server has not responded.
    package var severity: String?
    package var detail: String?
    package var hint: String?
    package var schema: String?
    package var table: String?
    package var column: String?
    package var constraint: String?
    /// The number of the transaction whose outcome could not be determined, or `nil` if it is known.
    package var unknownTransaction: Int64?

    /// Creates an error that the server did not report.
    package init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    package static func invalidParameters(_ message: String) -> PostgreSQLError {
        PostgreSQLError(.invalidParameters, message)
    }

    /// Whether repeating the whole transaction can succeed.
    package var isRetryable: Bool { kind == .serializationFailure || kind == .deadlock }
}

extension PostgreSQLError: CustomStringConvertible {
    /// The message with detail, hint and SQLSTATE.
    package var description: String {
        var text = message
        if let sqlState { text += " (SQLSTATE \(sqlState))" }
        if let detail { text += "; \(detail)" }
        if let hint { text += "; hint: \(hint)" }
        return text
    }
}

extension PostgreSQLError.Kind {
    /// Classifies an SQLSTATE (PostgreSQL documentation, Appendix A).
    package init(sqlState: String, severity: String?, message: String) {
        if severity == "FATAL" || severity == "PANIC" {
            self = .connectionLost
            return
        }
        switch sqlState {
        case "40001": self = .serializationFailure
        case "40P01": self = .deadlock
        case "23505": self = .uniqueViolation
        case "23503": self = .foreignKeyViolation
        case "23502": self = .notNullViolation
        case "23514", "23P01": self = .constraintViolation
        case "42501": self = .insufficientPrivilege
        case "25006": self = .readOnly
        // On a standby, “cannot set transaction read-write mode during recovery” has the code for unsupported features.
        case "0A000" where message.contains("during recovery"): self = .readOnly
        case "53100": self = .diskFull
        case "55P03": self = .timeout
        // The server uses the same code for both. Messages in other languages count as timeouts, because the client
        // sends no cancel requests.
        case "57014": self = message.contains("user request") ? .canceled : .timeout
        case "57P01", "57P02", "57P03", "57P05", "25P03": self = .connectionLost
        case _ where sqlState.hasPrefix("08"): self = .connectionLost
        case _ where sqlState.hasPrefix("22"): self = .invalidValue
        default: self = .other
        }
    }
}
