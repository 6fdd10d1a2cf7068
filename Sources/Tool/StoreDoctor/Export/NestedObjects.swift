internal import CSQLite3
internal import CoreData
internal import StoreFile

/// The destination of a relationship.
struct Reference {
    var key: Int64
    /// The number of the entity.
    var entity: Int

    /// Reads the destination of a to-one relationship; `nil` if there is none.
    static func read(
        _ statement: OpaquePointer, _ key: Int32, entity: Int32?, of destination: Int
    ) -> Reference? {
        guard !isNull(statement, key) else { return nil }
        var number = destination
        if let entity, sqlite3_column_type(statement, entity) == SQLITE_INTEGER {
            number = Int(truncatingIfNeeded: sqlite3_column_int64(statement, entity))
        }
        return Reference(key: sqlite3_column_int64(statement, key), entity: number)
    }

    static func isNull(_ statement: OpaquePointer, _ column: Int32) -> Bool {
        sqlite3_column_type(statement, column) == SQLITE_NULL
    }
}

/// Reads the attributes of destinations.
final class NestedObjects {
    private let plan: ExportPlan
    /// The queries by the number of the destination entity, each with the position of its properties.
    private var queries: [Int: (query: SQLiteQuery, entity: ExportPlan.Entity)] = [:]

    init(_ plan: ExportPlan) {
        self.plan = plan
    }

    /// Calls a closure with the row of a destination.
    ///
    /// - Returns: `false` if there is no such row.
    func read(
        _ destination: Reference,
        _ body: (OpaquePointer, ExportPlan.Entity) throws(StoreExporter.Failure) -> Void
    ) throws(StoreExporter.Failure) -> Bool {
        let found: (query: SQLiteQuery, entity: ExportPlan.Entity)
        do throws(DoctorDatabase.Failure) {
            guard let known = try query(destination.entity) else { return false }
            found = known
            found.query.restart(destination.key)
            guard try found.query.step() else { return false }
        } catch {
            throw StoreExporter.failure(error)
        }
        try body(found.query.statement, found.entity)
        return true
    }

    private func query(
        _ number: Int
    ) throws(DoctorDatabase.Failure) -> (query: SQLiteQuery, entity: ExportPlan.Entity)? {
        if let known = queries[number] { return known }
        guard let layout = plan.layout.entity(number: number) else { return nil }
        var columns: [String] = []
        var properties: [ExportPlan.Property] = []
        for property in layout.properties {
            guard case .attribute(let attribute) = property.position else { continue }
            properties.append(
                ExportPlan.Property(
                    name: property.name, isOptional: property.isOptional,
                    kind: .attribute(column: Int32(columns.count + 1), attribute)))
            columns.append(SQLName.inQuotes(attribute.column))
        }
        let query = try plan.database.query(
            "SELECT \((["Z_PK"] + columns).joined(separator: ", ")) FROM \(SQLName.inQuotes(layout.table)) WHERE Z_PK = ?"
        )
        let entity = ExportPlan.Entity(layout: layout, properties: properties, fileName: "nested")
        queries[number] = (query, entity)
        return (query, entity)
    }
}
