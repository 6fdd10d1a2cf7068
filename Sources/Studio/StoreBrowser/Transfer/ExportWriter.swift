internal import CoreData
internal import Foundation
internal import StoreDoctor

package enum ExportFormat: String, Codable, Sendable {
    /// Comma-separated values (RFC 4180), with a line of column names.
    case csv
    /// An array of objects.
    case json
}

/// Writes the objects of a list, part by part.
struct ExportWriter {
    private let list: ObjectList
    private let properties: [NSPropertyDescription]
    private let columns: [(name: String, property: NSPropertyDescription)]
    private let format: ExportFormat
    private let stack: StoreStack
    private let prefetched: [String]

    private let escapesFormulas: Bool

    init(session: StoreSession, query: ListQuery, format: ExportFormat, escapesFormulas: Bool) throws {
        self.escapesFormulas = escapesFormulas
        list = try session.list(query)
        let entity = try session.entity(query.entity)
        properties = RowBuilder.properties(of: entity)
        prefetched = RowBuilder.prefetchedKeys(of: entity)
        columns = properties.flatMap { property -> [(name: String, property: NSPropertyDescription)] in
            guard let composite = property as? NSCompositeAttributeDescription else {
                return [(property.name, property)]
            }
            return composite.fields.map { ($0.path, $0.attribute) }
        }
        stack = session.stack
        self.format = format
    }

    /// Returns a part of the text: the first part includes the opening, the last one the ending. Returns `nil` after
    /// the end.
    func text(from offset: Int, limit: Int) throws -> String? {
        let (objects, total) = try list.page(from: offset, limit: limit, prefetching: prefetched)
        guard offset == 0 || offset < total else { return nil }
        let isLast = offset + limit >= total
        let found = objects.compactMap(\.object)
        let text = format == .csv ? csv(found, isFirst: offset == 0) : json(found, offset: offset, isLast: isLast)
        // Exported objects need not stay in memory. A reset would end the state that is read.
        for object in stack.context.registeredObjects { stack.context.refresh(object, mergeChanges: false) }
        return text
    }

    private func csv(_ objects: [NSManagedObject], isFirst: Bool) -> String {
        var text = ""
        if isFirst {
            text +=
                (["entity", "objectID"] + columns.map(\.name)).map(ExportedText.csv).joined(separator: ",") + "\r\n"
        }
        for object in objects {
            let values = columns.map { column -> String in
                switch value(object, path: column.name, property: column.property) {
                case .null: ""
                case .text(let text), .literal(let text):
                    ExportedText.csv(escapesFormulas && Self.isFormula(text, column.property) ? "'" + text : text)
                case .list(let keys): keys.isEmpty ? "" : ExportedText.csv(keys.joined(separator: " "))
                }
            }
            text += ([object.entity.name ?? "", object.objectID.keyText].map(ExportedText.csv) + values).joined(
                separator: ",")
            text += "\r\n"
        }
        return text
    }

    /// Whether a spreadsheet interprets the value of a property as a formula.
    private static func isFormula(_ text: String, _ property: NSPropertyDescription) -> Bool {
        let types: [NSAttributeType] = [.stringAttributeType, .URIAttributeType]
        guard let type = (property as? NSAttributeDescription)?.attributeType, types.contains(type) else {
            return false
        }
        return ExportedText.isFormula(text)
    }

    private func json(_ objects: [NSManagedObject], offset: Int, isLast: Bool) -> String {
        var text = offset == 0 ? "[" : ""
        for (index, object) in objects.enumerated() {
            text += offset + index == 0 ? "\n" : ",\n"
            let fields = [
                "\"entity\": \(ExportedText.json(object.entity.name ?? ""))",
                "\"objectID\": \(ExportedText.json(object.objectID.keyText))",
            ]
            let values = properties.map {
                "\(ExportedText.json($0.name)): \(json(object, path: $0.name, property: $0))"
            }
            text += "  {" + (fields + values).joined(separator: ", ") + "}"
        }
        return text + (isLast ? "\n]\n" : "")
    }

    private func json(
        _ object: NSManagedObject, path: String, property: NSPropertyDescription
    ) -> String {
        guard let composite = property as? NSCompositeAttributeDescription else {
            return Self.json(value(object, path: path, property: property))
        }
        guard Self.value(of: object, path) != nil else { return "null" }
        let members = composite.elements.map {
            "\(ExportedText.json($0.name)): \(json(object, path: "\(path).\($0.name)", property: $0))"
        }
        return "{" + members.joined(separator: ", ") + "}"
    }

    private static func json(_ value: Value) -> String {
        switch value {
        case .null: "null"
        case .text(let text): ExportedText.json(text)
        case .literal(let text): text
        case .list(let keys): "[" + keys.map(ExportedText.json).joined(separator: ", ") + "]"
        }
    }

    private enum Value {
        case null
        case text(String)
        /// A number or Boolean, which JSON writes without quotes.
        case literal(String)
        case list([String])
    }

    private static func value(of object: NSManagedObject, _ path: String) -> Any? {
        let names = path.split(separator: ".").map(String.init)
        return names.dropFirst().reduce(object.value(forKey: names[0])) { ($0 as? [String: Any])?[$1] }
    }

    private func value(_ object: NSManagedObject, path: String, property: NSPropertyDescription) -> Value {
        let value = Self.value(of: object, path)
        if let relationship = property as? NSRelationshipDescription {
            if relationship.isToMany {
                return .list(RowBuilder.destinations(of: object, relationship).map(Self.reference))
            }
            return (value as? NSManagedObject).map { .text(Self.reference($0)) } ?? .null
        }
        guard let attribute = property as? NSAttributeDescription, let value else { return .null }
        if let date = value as? Date { return .text(DateText.text(of: date)) }
        if let data = value as? Data { return .text(data.base64EncodedString()) }
        let cell = CellReader(length: .max).cell(value, attribute)
        guard let text = cell.text else { return .null }
        switch cell.kind {
        case "bool": return .literal(text)
        // JSON has no infinity, and a decimal would lose digits in most readers.
        case "number":
            let isExact = attribute.attributeType != .decimalAttributeType && Double(text)?.isFinite == true
            return isExact ? .literal(text) : .text(text)
        default: return .text(text)
        }
    }

    private static func reference(_ object: NSManagedObject) -> String {
        "\(object.entity.name ?? "")/\(object.objectID.keyText)"
    }
}
