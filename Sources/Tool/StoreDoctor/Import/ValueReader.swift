internal import CoreData
internal import Diagnostics
internal import Foundation
internal import ModelSchema

/// Converts the values of an attribute from JSON to what SQLite stores.
struct ValueReader {
    /// The entity and the attribute, for messages.
    let name: String
    let type: NSAttributeType
    /// Whether dates are numbers of seconds since 2001.
    let hasNumericDates: Bool
    /// The folder of the export.
    let folder: String?

    private typealias Failure = ImportedRows.Failure

    func value(_ node: ParsedJSON) throws -> StoreContents.Value {
        if case .null = node { return .null }
        if case .object(let members) = node { return try stored(members) }
        switch (type, node) {
        case (.integer16AttributeType, _): return .integer(try integer(node, Int64(Int16.min)...Int64(Int16.max)))
        case (.integer32AttributeType, _): return .integer(try integer(node, Int64(Int32.min)...Int64(Int32.max)))
        case (.integer64AttributeType, _): return .integer(try integer(node, Int64.min...Int64.max))
        case (.booleanAttributeType, .bool(let flag)): return .integer(flag ? 1 : 0)
        case (.doubleAttributeType, .number(let text)): return .real(try finite(text))
        case (.floatAttributeType, .number(let text)):
            if let float = Float(text), float.isFinite { return .real(Double(float)) }
            return .real(try finite(text))
        case (.doubleAttributeType, .string), (.floatAttributeType, .string): return .real(try infinity(node))
        case (.decimalAttributeType, .string), (.decimalAttributeType, .number): return try decimal(node)
        case (.dateAttributeType, .number(let text)):
            guard hasNumericDates else {
                throw Failure(
                    message: "the date \(text) of “\(name)” is a number, whose origin is unknown without schema.json",
                    help: "Write dates as ISO 8601, or export to a folder.")
            }
            return .real(try finite(text))
        case (.dateAttributeType, .string):
            if let seconds = ISODate.seconds(node.text ?? "") { return .real(seconds) }
            return .real(try infinity(node))
        case (.stringAttributeType, .string(let bytes)), (.URIAttributeType, .string(let bytes)): return .text(bytes)
        case (.UUIDAttributeType, .string):
            guard let uuid = UUID(uuidString: node.text ?? "") else { throw invalid(node) }
            return .bytes(withUnsafeBytes(of: uuid.uuid) { [UInt8]($0) })
        case (.binaryDataAttributeType, .string(let text)):
            guard let bytes = Base64.decode(text, requiresPadding: true) else { throw invalid(node) }
            return .bytes(bytes)
        default: throw invalid(node)
        }
    }

    private func invalid(_ node: ParsedJSON) -> Failure {
        var shown = node.typeName
        if let text = node.text, text.utf8.count <= 40 { shown = "“\(text)”" }
        if case .number(let text) = node, text.utf8.count <= 40 { shown = text }
        return Failure(
            message: "\(shown) is not a value of “\(name)”, which has the type \(ExportSchema.typeName(type))")
    }

    private func integer(_ node: ParsedJSON, _ range: ClosedRange<Int64>) throws -> Int64 {
        let text: String?
        if case .number(let digits) = node { text = digits } else { text = node.text }
        guard let text, let number = Int64(text), range.contains(number), text.first != "+" else { throw invalid(node) }
        return number
    }

    private func finite(_ text: String) throws -> Double {
        guard let number = Double(text), number.isFinite else { throw invalid(.number(text)) }
        return number
    }

    private func infinity(_ node: ParsedJSON) throws -> Double {
        switch node.text {
        case "Infinity": .infinity
        case "-Infinity": -.infinity
        default: throw invalid(node)
        }
    }

    private func decimal(_ node: ParsedJSON) throws -> StoreContents.Value {
        var text = node.text ?? ""
        if case .number(let digits) = node { text = digits }
        if text == "NaN" { return .text(Array("NaN".utf8)) }
        // Swift also reads hexadecimal numbers and infinities.
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }) else {
            throw invalid(node)
        }
        if let whole = Int64(text) { return .integer(whole) }
        guard let number = Double(text), number.isFinite else { throw invalid(node) }
        return .real(number)
    }

    // MARK: Stored values

    /// Returns a value that is written as it is stored.
    private func stored(_ members: [(key: String, value: ParsedJSON)]) throws -> StoreContents.Value {
        for member in members {
            switch (member.key, member.value) {
            case ("$value", _): continue
            case ("$integer", .number(let text)):
                guard let number = Int64(text) else { throw invalid(member.value) }
                return .integer(number)
            case ("$real", .number(let text)): return .real(try finite(text))
            case ("$real", .string): return .real(try infinity(member.value))
            case ("$text", .string(let bytes)): return .text(bytes)
            case ("$textBytes", .string(let text)):
                guard let bytes = Base64.decode(text, requiresPadding: true) else { throw invalid(member.value) }
                return .text(bytes)
            case ("$bytes", .string(let text)), ("$archive", .string(let text)):
                guard let bytes = Base64.decode(text, requiresPadding: true) else { throw invalid(member.value) }
                return .bytes(bytes)
            case ("$file", .string): return .bytes(try file(member.value.text ?? ""))
            case ("$missing", _):
                throw Failure(
                    message:
                        "the value of “\(name)” was in an external file that was missing when the store was exported",
                    help: "Export the store together with its external files, or write null.")
            default:
                throw Failure(message: "“\(member.key)” is not a form of a value of “\(name)”")
            }
        }
        throw Failure(message: "the value of “\(name)” has neither “$archive” nor “$bytes”")
    }

    private func file(_ path: String) throws -> [UInt8] {
        guard let folder else {
            throw Failure(message: "“\(path)” is a file of an export", help: "Import the folder of the export.")
        }
        // Nothing but what the export contains is read, links included.
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let url = URL(fileURLWithPath: "\(folder)/\(path)").resolvingSymlinksInPath()
        let root = URL(fileURLWithPath: folder).resolvingSymlinksInPath()
        guard parts.first == "files", parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }),
            url.path.hasPrefix(root.path + "/"), let data = try? Data(contentsOf: url)
        else { throw Failure(message: "the file “\(path)” cannot be read", help: "Copy the whole export.") }
        return [UInt8](data)
    }
}
