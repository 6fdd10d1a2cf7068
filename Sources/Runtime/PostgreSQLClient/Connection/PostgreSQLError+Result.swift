import CLibPQ

extension PostgreSQLError {
    /// Creates the error of a failed result.
    init(result: OpaquePointer, connection: OpaquePointer) {
        func field(_ code: modelc_pq_field) -> String? {
            PQresultErrorField(result, Int32(code.rawValue)).map { String(cString: $0) }
        }
        guard let sqlState = field(modelc_pq_sqlstate) else {
            // An error of libpq itself: the connection broke, or the server violated the protocol.
            let text = PostgreSQLError.line(PQresultErrorMessage(result)) ?? "the server did not answer"
            self.init(PQstatus(connection) == CONNECTION_OK ? .unexpectedAnswer : .connectionLost, text)
            return
        }
        let message = field(modelc_pq_message) ?? "error without a message"
        let severity = field(modelc_pq_severity)
        self.init(Kind(sqlState: sqlState, severity: severity, message: message), message)
        self.sqlState = sqlState
        self.severity = severity
        detail = field(modelc_pq_detail)
        hint = field(modelc_pq_hint)
        schema = field(modelc_pq_schema)
        table = field(modelc_pq_table)
        column = field(modelc_pq_column)
        constraint = field(modelc_pq_constraint)
    }

    /// Creates the error of a connection from libpq's message.
    init(connection: OpaquePointer?, kind: Kind) {
        self.init(kind, PostgreSQLError.line(PQerrorMessage(connection)) ?? "the connection to the server was lost")
    }

    /// Returns the lines of a libpq message joined into one, or `nil` if the message is empty.
    private static func line(_ text: UnsafePointer<CChar>?) -> String? {
        guard let text else { return nil }
        let lines = String(cString: text).split(whereSeparator: \.isNewline)
        return lines.isEmpty ? nil : lines.map { $0.drop { $0.isWhitespace } }.joined(separator: "; ")
    }
}
