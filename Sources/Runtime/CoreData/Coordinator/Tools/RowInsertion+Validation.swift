/// Insertion of validated rows.
extension RowInsertion.Table {
    /// Inserts the row of a reserved ID if its attributes and to-one relationships are valid.
    ///
    /// - Parameters:
    ///   - values: A value for each property of the table: of the attribute's class, or the destination's ID.
    ///   - id: An ID that this table's `reserve(_:)` returned.
    /// - Throws: The validation error of an invalid value, and the errors of `insert(_:as:)`.
    package func insertValid(_ values: [Any?], as id: NSManagedObjectID) throws {
        try insert(values, as: id, check: Validation.check)
    }
}
