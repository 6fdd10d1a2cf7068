/// Rows that meet the model's rules.
extension RowInsertion.Table {
    /// Inserts the row of a reserved ID if its attributes and to-one relationships meet the model's rules.
    ///
    /// - Parameters:
    ///   - values: A value for each property of the table: of the attribute's class, or the destination's ID.
    ///   - id: An ID that `reserve(_:)` of this table returned.
    /// - Throws: The error of a value that is not valid, and what `insert(_:as:)` throws.
    package func insertValid(_ values: [Any?], as id: NSManagedObjectID) throws {
        try insert(values, as: id, check: Validation.check)
    }
}
