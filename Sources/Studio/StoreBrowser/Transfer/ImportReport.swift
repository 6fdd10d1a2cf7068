/// The result of importing a file.
package struct ImportReport: Codable, Sendable {
    /// A value or row with a problem.
    package struct Problem: Codable, Hashable, Sendable {
        /// The number of the row, from 1, without the line of column names.
        package var row: Int
        /// The line of the file that the row starts on; `nil` for JSON.
        package var line: Int?
        /// The column; `nil` if the problem is with the whole row.
        package var column: String?
        /// The problem.
        package var message: String
    }

    /// The number of rows in the file.
    package var rows: Int
    /// The number of objects that were created.
    package var imported = 0
    /// The values that cannot be read, up to a limit. Their rows are not imported.
    package var unreadable: [Problem] = []
    /// The number of values that cannot be read.
    package var unreadableCount = 0
    /// The number of rows with such values.
    package var unreadableRows = 0
    /// The values that were imported but cannot be saved because they are not valid, up to a limit.
    package var invalid: [Problem] = []
    /// The number of values that are not valid.
    package var invalidCount = 0
    /// The columns that were not imported, with the reasons.
    package var ignored: [String] = []

    /// The maximum number of problems that are listed.
    static let problemLimit = 100
}
