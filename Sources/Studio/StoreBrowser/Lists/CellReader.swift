internal import CoreData
internal import Foundation
internal import StoreDoctor

/// Converts values of properties to cells.
struct CellReader {
    /// The maximum number of characters of a text in a list.
    static let listLength = 200
    /// The maximum number of characters of a text in the details.
    static let detailLength = 100_000

    /// The maximum number of characters of a text.
    var length = listLength

    func cell(_ value: Any?, _ attribute: NSAttributeDescription) -> ListCell {
        guard let value else { return .null }
        switch attribute.attributeType {
        case .booleanAttributeType:
            return ListCell("bool", (value as? NSNumber)?.boolValue == true ? "true" : "false")
        case .decimalAttributeType:
            return ListCell("number", (value as? NSDecimalNumber)?.description(withLocale: nil) ?? "\(value)")
        case .dateAttributeType:
            var cell = ListCell("date", (value as? Date).map { "\($0.timeIntervalSinceReferenceDate)" })
            cell.edit = (value as? Date).map(DateText.text)
            return cell
        case .binaryDataAttributeType, .transformableAttributeType: return bytes(value)
        case .compositeAttributeType:
            return text(Self.summary(of: value, attribute))
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
            return ListCell("number", (value as? NSNumber).map { "\($0.int64Value)" } ?? "\(value)")
        case .floatAttributeType:
            return ListCell("number", (value as? NSNumber).map { "\($0.floatValue)" } ?? "\(value)")
        case .doubleAttributeType:
            return ListCell("number", (value as? NSNumber).map { "\($0.doubleValue)" } ?? "\(value)")
        case .UUIDAttributeType: return text((value as? UUID)?.uuidString ?? "\(value)")
        case .URIAttributeType: return text((value as? URL)?.absoluteString ?? "\(value)")
        default: return text(value as? String ?? "\(value)")
        }
    }

    private func text(_ text: String) -> ListCell {
        var cell = ListCell("text", String(text.prefix(length)))
        if cell.text?.utf8.count != text.utf8.count { cell.isCut = true }
        return cell
    }

    private func bytes(_ value: Any) -> ListCell {
        guard let data = value as? Data else { return ListCell("text", "\(type(of: value))") }
        var cell = ListCell("bytes")
        cell.count = data.count
        let form = ByteForm(data)
        cell.media = form.imageType
        cell.text = form.title
        return cell
    }

    /// Returns a composite value on one line, such as `city: Berlin, zip: 10115`.
    static func summary(of value: Any, _ attribute: NSAttributeDescription) -> String {
        guard let composite = attribute as? NSCompositeAttributeDescription, let values = value as? [String: Any]
        else { return "\(value)" }
        let reader = CellReader(length: 60)
        return composite.elements.compactMap { element in
            guard let value = values[element.name] else { return nil }
            let cell = reader.cell(value, element)
            let text = cell.edit ?? cell.text
            let inner = element is NSCompositeAttributeDescription
            return "\(element.name): \(inner ? "{\(text ?? "")}" : text ?? "")"
        }.joined(separator: ", ")
    }

    /// Returns the name of an attribute's type, as the page shows it.
    static func typeName(_ attribute: NSAttributeDescription) -> String {
        switch attribute.attributeType {
        case .integer16AttributeType: "Integer 16"
        case .integer32AttributeType: "Integer 32"
        case .integer64AttributeType: "Integer 64"
        case .decimalAttributeType: "Decimal"
        case .doubleAttributeType: "Double"
        case .floatAttributeType: "Float"
        case .stringAttributeType: "String"
        case .booleanAttributeType: "Boolean"
        case .dateAttributeType: "Date"
        case .binaryDataAttributeType: "Binary Data"
        case .UUIDAttributeType: "UUID"
        case .URIAttributeType: "URI"
        case .transformableAttributeType: "Transformable"
        case .compositeAttributeType: "Composite"
        case .undefinedAttributeType, .objectIDAttributeType: "Undefined"
        }
    }
}
