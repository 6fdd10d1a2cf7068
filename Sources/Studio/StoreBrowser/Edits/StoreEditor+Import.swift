internal import CoreData
internal import Foundation

extension StoreEditor {
    /// Inserts the rows of a file as unsaved objects, as one undo step.
    ///
    /// - Parameter skipsInvalidRows: Whether rows with values that cannot be read are left out. Otherwise, such rows
    ///   prevent the import.
    func importRows(
        _ name: String, format: ExportFormat, text: String, skipsInvalidRows: Bool, reply: inout StoreReply
    ) throws {
        let entity = try session.entity(name)
        let table = try ImportedTable(text, format)
        let count = table.rows.count + table.problems.count
        guard count > 0 else { throw StoreProblem("the file has no rows") }
        guard count <= StoreService.rowLimit else {
            throw StoreProblem(
                "the file has \(count) rows; at most \(StoreService.rowLimit) can be imported at once",
                help: "Split the file, and save after each part.")
        }
        let plan = try ImportPlan(table: table, entity: entity, session: session)
        var report = ImportReport(rows: count, ignored: plan.ignored)
        report.unreadable = Array(plan.problems.prefix(ImportReport.problemLimit))
        report.unreadableCount = plan.problems.count
        report.unreadableRows = Set(plan.problems.map(\.row)).count
        if plan.problems.isEmpty || skipsInvalidRows, !plan.entries.isEmpty {
            try perform(.insert(plan.entries.map(\.row)), &reply)
            report.imported = plan.entries.count
            let invalid = plan.entries.flatMap(invalid)
            report.invalid = Array(invalid.prefix(ImportReport.problemLimit))
            report.invalidCount = invalid.count
        }
        reply.imported = report
    }

    private func invalid(_ entry: ImportPlan.Entry) -> [ImportReport.Problem] {
        guard let object = created[entry.row.name] else { return [] }
        do {
            try object.validateForInsert()
            return []
        } catch {
            return SaveFailure(error as NSError, object: object).invalid.map {
                ImportReport.Problem(row: entry.number, line: entry.line, column: $0.key, message: $0.message)
            }
        }
    }

    /// Creates objects, all or none.
    func insert(_ rows: [StoreEdit.NewRow]) throws {
        var objects: [NSManagedObject] = []
        do {
            let uris = Set(rows.flatMap { Array($0.links.values) + ($0.members ?? [:]).values.joined() })
            let destinations = try session.stack.objects(Array(uris))
            func destination(_ uri: String, _ relationship: NSRelationshipDescription) throws -> NSManagedObject {
                guard let destination = destinations[uri] else { throw StoreStack.missing }
                return try check(destination, relationship)
            }
            for (index, row) in rows.enumerated() {
                let object = create(try creatableEntity(row.entity), row.name, index: index)
                objects.append(object)
                for (key, text) in row.values {
                    let (name, value) = try setting(object, key: key, text: text)
                    object.setValue(value, forKey: name)
                }
                for (key, uri) in row.links {
                    let relationship = try relationship(key, of: object, isToMany: false)
                    object.setValue(try destination(uri, relationship), forKey: key)
                }
                for (key, uris) in row.members ?? [:] {
                    let relationship = try relationship(key, of: object, isToMany: true)
                    let members = try uris.map { try destination($0, relationship) }
                    object.setValue(
                        relationship.isOrdered ? NSOrderedSet(array: members) : NSSet(array: members), forKey: key)
                }
            }
        } catch {
            for object in objects { context.delete(object) }
            throw error
        }
    }
}
