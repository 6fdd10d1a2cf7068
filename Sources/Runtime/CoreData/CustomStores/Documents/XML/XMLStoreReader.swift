internal import CompiledModel
internal import Foundation

/// Reads an XML store.
///
/// A parser for this format only: it expands no entities but XML's predefined five, reads no other file, keeps nothing
/// but the store's content, and needs neither FoundationXML nor libxml2, which every program with this module would
/// have to ship.
struct XMLStoreReader {
    private var tokens: XMLStoreTokens

    init(_ bytes: [UInt8]) {
        tokens = XMLStoreTokens(bytes)
    }

    /// Returns the whole file.
    ///
    /// - Throws: `StoredContentsError`.
    mutating func contents() throws -> StoredContents {
        var contents = StoredContents(uuid: "", metadata: [:], lastNumber: 0)
        contents.isStandalone = try tokens.prolog()
        _ = try element("database")
        try children(of: "database") { reader, tag in
            switch tag.name {
            case "databaseInfo": try reader.info(&contents)
            case "object": contents.objects.append(try reader.object(tag))
            default: throw StoredContentsError("unknown element “\(tag.name)”")
            }
        }
        try tokens.end()
        return contents
    }

    private mutating func element(_ name: String) throws -> XMLStoreTokens.Tag {
        guard case .start(let tag) = try tokens.next(), tag.name == name else {
            throw StoredContentsError("the element “\(name)” is missing")
        }
        return tag
    }

    /// Reads child elements up to the end tag of their parent. Each call of the closure reads up to the end of one child.
    private mutating func children(
        of name: String, _ body: (inout XMLStoreReader, XMLStoreTokens.Tag) throws -> Void
    ) throws {
        while true {
            switch try tokens.next() {
            case .start(let tag): try body(&self, tag)
            case .end(name): return
            case .end(let other): throw StoredContentsError("“\(name)” ends with “\(other)”")
            case .text(let text):
                guard text.utf8.allSatisfy({ [0x09, 0x0A, 0x0D, 0x20].contains($0) }) else {
                    throw StoredContentsError("unexpected text in “\(name)”: “\(text.prefix(40))”")
                }
            }
        }
    }

    /// Returns the text of an element without children.
    private mutating func text(of name: String) throws -> String {
        var result = ""
        while true {
            switch try tokens.next() {
            case .text(let text): result += text
            case .end(name): return result
            case .start(let tag): throw StoredContentsError("unexpected element “\(tag.name)” in “\(name)”")
            case .end(let other): throw StoredContentsError("“\(name)” ends with “\(other)”")
            }
        }
    }

    // MARK: Parts

    private mutating func info(_ contents: inout StoredContents) throws {
        try children(of: "databaseInfo") { reader, tag in
            switch tag.name {
            case "version": _ = try reader.text(of: tag.name)
            case "UUID": contents.uuid = try reader.trimmedText(of: tag.name)
            case "nextObjectID":
                guard let number = Int64(try reader.trimmedText(of: tag.name)), number >= 0 else {
                    throw StoredContentsError("invalid nextObjectID")
                }
                contents.lastNumber = number
            case "metadata": contents.metadata = try reader.metadata()
            default: throw StoredContentsError("unknown element “\(tag.name)”")
            }
        }
    }

    private mutating func trimmedText(of name: String) throws -> String {
        try text(of: name).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private mutating func metadata() throws -> [String: Any] {
        var result: [String: Any] = [:]
        try children(of: "metadata") { reader, tag in
            guard tag.name == "plist" else { throw StoredContentsError("unknown element “\(tag.name)”") }
            let bytes = try reader.tokens.rest(of: tag)
            let list: PropertyListValue
            do throws(PropertyListError) {
                list = try PropertyListValue([UInt8]("<?xml version=\"1.0\"?>\n".utf8) + bytes)
            } catch {
                throw StoredContentsError("the metadata cannot be read: \(error)")
            }
            guard let values = list.foundationValue as? [String: Any] else {
                throw StoredContentsError("the metadata is not a dictionary")
            }
            result = values
        }
        return result
    }

    private mutating func object(_ tag: XMLStoreTokens.Tag) throws -> StoredObject {
        guard let entity = tag["type"], let id = tag["id"] else {
            throw StoredContentsError("an object has no type or no ID")
        }
        var object = StoredObject(entity: entity, number: try Self.number(id))
        try children(of: "object") { reader, tag in
            guard let name = tag["name"] else { throw StoredContentsError("a property has no name") }
            switch tag.name {
            case "attribute":
                guard !object.attributes.contains(where: { $0.name == name }) else {
                    throw StoredContentsError("object \(id) has two attributes “\(name)”")
                }
                let value = try XMLStoreValue.value(reader.text(of: tag.name), type: tag["type"] ?? "string")
                object.attributes.append(StoredObject.Attribute(name: name, value: value))
            case "relationship":
                guard !object.relationships.contains(where: { $0.name == name }) else {
                    throw StoredContentsError("object \(id) has two relationships “\(name)”")
                }
                _ = try reader.text(of: tag.name)
                let numbers = try (tag["idrefs"] ?? "").split { $0 == " " || $0.isNewline || $0 == "\t" }
                    .map { try Self.number(String($0)) }
                object.relationships.append(
                    StoredObject.Relationship(
                        name: name, numbers: numbers, counts: tag["type"] ?? "",
                        destination: tag["destination"] ?? ""))
            default: throw StoredContentsError("unknown element “\(tag.name)”")
            }
        }
        return object
    }

    /// Returns the number of an ID, `z102`.
    private static func number(_ id: String) throws -> Int64 {
        // The number parser also accepts a sign.
        guard id.first == "z", let number = Int64(id.dropFirst()), id.dropFirst().first?.isNumber == true else {
            throw StoredContentsError("invalid object ID “\(id.prefix(40))”")
        }
        return number
    }
}
