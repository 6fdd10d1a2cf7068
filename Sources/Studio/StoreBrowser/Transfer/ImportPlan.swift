internal import CoreData
internal import Foundation

/// The objects that a file's rows become, checked value by value.
struct ImportPlan {
    /// A row that can be imported.
    struct Entry {
        var number: Int
        var line: Int?
        var row: StoreEdit.NewRow
    }

    private enum Target {
        case entity
        case attribute(NSAttributeDescription)
        case relationship(NSRelationshipDescription)
        /// A column that is not imported, with the reason; `nil` if that need not be told.
        case ignored(String?)
    }

    private let session: StoreSession
    private let entity: NSEntityDescription
    private var targets: [String: [String: Target]] = [:]
    private var destinations: [String: Result<NSManagedObject, StoreProblem>] = [:]
    /// The rows that can be imported.
    private(set) var entries: [Entry] = []
    /// The values that cannot be read.
    private(set) var problems: [ImportReport.Problem]
    /// The columns that are not imported, with the reasons.
    private(set) var ignored: [String] = []

    /// Checks the rows of a table.
    ///
    /// - Throws: `StoreProblem` if the table has no column of the entity.
    init(table: ImportedTable, entity: NSEntityDescription, session: StoreSession) throws(StoreProblem) {
        self.session = session
        self.entity = entity
        problems = table.problems
        for row in table.rows { add(row) }
        problems.sort { $0.row < $1.row }
        try checkColumns(table)
    }

    private mutating func checkColumns(_ table: ImportedTable) throws(StoreProblem) {
        let allTargets = targets.isEmpty ? [target(table.columns, of: entity)] : Array(targets.values)
        var imported = 0
        for column in table.columns {
            let all = allTargets.compactMap { $0[column] }
            let reasons = all.compactMap { target -> String?? in
                if case .ignored(let reason) = target { .some(reason) } else { nil }
            }
            if reasons.count < all.count || all.isEmpty {
                imported += 1
            } else if let reason = reasons.first ?? nil, table.hasValues(in: column) {
                ignored.append("\(column.isEmpty ? "a column without a name" : column) (\(reason))")
            }
        }
        guard imported > 0 else {
            throw StoreProblem(
                "the file has no column of “\(entity.name ?? "")”",
                help: "Name the columns after attributes or relationships.")
        }
    }

    private func target(_ columns: [String], of entity: NSEntityDescription) -> [String: Target] {
        Dictionary(columns.map { ($0, target($0, of: entity)) }) { first, _ in first }
    }

    private func target(_ column: String, of entity: NSEntityDescription) -> Target {
        if let attribute = entity.attribute(at: column) {
            if attribute is NSCompositeAttributeDescription { return .ignored("composite; use its elements") }
            guard attribute.isEditable, !attribute.isTransient else {
                return .ignored(attribute is NSDerivedAttributeDescription ? "derived" : "not editable")
            }
            return .attribute(attribute)
        }
        if let relationship = entity.relationshipsByName[column] {
            return .relationship(relationship)
        }
        switch column {
        case "entity": return .entity
        // Exports contain the keys of objects in their store.
        case "objectID": return .ignored(nil)
        default: return .ignored("no such property")
        }
    }

    // MARK: Rows

    private mutating func add(_ row: ImportedTable.Row) {
        var entity = entity
        if case .text(let name)? = row.fields["entity"], self.entity.attributesByName["entity"] == nil {
            guard let named = session.model.model.entitiesByName[name], named.isKindOf(entity: self.entity) else {
                return report(
                    row, column: "entity", message: "“\(name)” is not a subentity of “\(self.entity.name ?? "")”")
            }
            entity = named
        }
        guard !entity.isAbstract else {
            return report(
                row, column: nil, message: "“\(entity.name ?? "")” is abstract; name a subentity in a column “entity”")
        }
        let name = entity.name ?? ""
        for column in row.fields.keys where targets[name]?[column] == nil {
            targets[name, default: [:]][column] = target(column, of: entity)
        }
        var new = StoreEdit.NewRow(name: UUID().uuidString, entity: name, values: [:], links: [:])
        let count = problems.count
        for (column, field) in row.fields.sorted(by: { $0.key < $1.key }) {
            switch targets[name]?[column] {
            case .attribute(let attribute): read(field, column: column, attribute: attribute, row: row, new: &new)
            case .relationship(let relationship):
                read(field, column: column, relationship: relationship, row: row, new: &new)
            case .entity, .ignored, nil: break
            }
        }
        if problems.count == count { entries.append(Entry(number: row.number, line: row.line, row: new)) }
    }

    private mutating func report(_ row: ImportedTable.Row, column: String?, message: String) {
        problems.append(ImportReport.Problem(row: row.number, line: row.line, column: column, message: message))
    }

    private mutating func read(
        _ field: ImportedTable.Field, column: String, attribute: NSAttributeDescription,
        row: ImportedTable.Row, new: inout StoreEdit.NewRow
    ) {
        switch field {
        case .null: new.values[column] = .some(nil)
        // Spreadsheets write empty strings without quotes.
        case .empty:
            let isText = attribute.attributeType == .stringAttributeType && !attribute.isOptional
            new.values[column] = .some(isText ? "" : nil)
        case .text(let text):
            do throws(StoreProblem) {
                _ = try ValueParser.value(text, attribute)
                new.values[column] = text
            } catch {
                report(row, column: column, message: error.message)
            }
        case .list, .unsupported:
            report(
                row, column: column,
                message: "\(field.kind) is not a value of type \(CellReader.typeName(attribute))")
        }
    }

    private mutating func read(
        _ field: ImportedTable.Field, column: String, relationship: NSRelationshipDescription,
        row: ImportedTable.Row, new: inout StoreEdit.NewRow
    ) {
        do throws(StoreProblem) {
            switch field {
            case .null, .empty: break
            case .text(let text) where relationship.isToMany:
                // As CSV exports write them.
                let uris = try destinations(text.split(separator: " ").map(String.init), relationship)
                new.members = (new.members ?? [:]).merging([column: uris]) { $1 }
            case .list(let texts) where relationship.isToMany:
                let uris = try destinations(texts, relationship)
                new.members = (new.members ?? [:]).merging([column: uris]) { $1 }
            case .text(let text): new.links[column] = try destination(text, relationship).objectID.uriText
            case .list, .unsupported:
                throw StoreProblem(
                    "\(field.kind) is not a reference such as \(relationship.destinationEntity?.name ?? "")/12")
            }
        } catch {
            report(row, column: column, message: error.message)
        }
    }

    private mutating func destinations(
        _ texts: [String], _ relationship: NSRelationshipDescription
    ) throws(StoreProblem) -> [String] {
        var uris: [String] = []
        for text in texts { uris.append(try destination(text, relationship).objectID.uriText) }
        return uris
    }

    /// Finds the destination that an export refers to by entity and key, such as `Author/12`; the key is enough if all
    /// destinations are of one entity.
    private mutating func destination(
        _ text: String, _ relationship: NSRelationshipDescription
    ) throws(StoreProblem) -> NSManagedObject {
        let expected = relationship.destinationEntity
        var parts = text.split(separator: "/", maxSplits: 1).map(String.init)
        if let name = expected?.name, expected?.subentities.isEmpty == true, UInt64(text) != nil {
            parts = [name, text]
        }
        guard parts.count == 2, let named = session.model.model.entitiesByName[parts[0]] else {
            throw StoreProblem("“\(text.prefix(80))” is not a reference such as \(expected?.name ?? "")/12")
        }
        guard let expected, named.isKindOf(entity: expected) else {
            throw StoreProblem("the relationship's destination is “\(expected?.name ?? "")”, not “\(parts[0])”")
        }
        let found = destinations[text] ?? find(parts[0], parts[1])
        destinations[text] = found
        do {
            return try found.get()
        } catch {
            throw error
        }
    }

    private func find(_ entity: String, _ key: String) -> Result<NSManagedObject, StoreProblem> {
        let base = "x-coredata://\(session.stack.store.identifier ?? "")/\(entity)/"
        for uri in [base + "p" + key, base + key] {
            do {
                return .success(try session.stack.object(uri))
            } catch let error as NSError where error.code == NSPersistentStoreTimeoutError {
                return .failure(StoreProblem(error))
            } catch {
                continue
            }
        }
        return .failure(StoreProblem("object not found: \(entity)/\(key.prefix(80))"))
    }
}
