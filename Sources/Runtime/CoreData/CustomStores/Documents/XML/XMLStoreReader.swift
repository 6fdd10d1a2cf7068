internal import CompiledModel
internal import Foundation

/// Reads the file of an XML store.
struct XMLStoreReader {
    private var tokens: XMLTokens

    init(_ bytes: [UInt8]) {
        tokens = XMLTokens(bytes)
    }

    /// Returns the whole file.
    ///
    /// - Throws: `StoredContentsError`.
    mutating func contents() throws -> StoredContents {
        var contents = StoredContents(uuid: "", metadata: [:], lastNumber: 0)
        do {
            contents.isStandalone = try tokens.prolog()
            guard try tokens.root().name == "database" else {
                throw StoredContentsError("the element “database” is missing")
            }
            while let tag = try tokens.child(of: "database") {
                switch tag.name {
                case "databaseInfo": try readInfo(&contents)
                case "object": contents.objects.append(try object(tag))
                default: throw StoredContentsError("unknown element “\(tag.name)”")
                }
            }
            try tokens.end()
        } catch let error as XMLTokens.Failure {
            throw StoredContentsError(error.message)
        }
        return contents
    }

    // MARK: Parts

    private mutating func readInfo(_ contents: inout StoredContents) throws {
        while let tag = try tokens.child(of: "databaseInfo") {
            switch tag.name {
            case "version": _ = try tokens.text(of: tag.name)
            case "UUID": contents.uuid = try trimmedText(of: tag.name)
            case "nextObjectID":
                guard let number = Int64(try trimmedText(of: tag.name)), number >= 0 else {
                    throw StoredContentsError("invalid nextObjectID")
                }
                contents.lastNumber = number
            case "metadata": contents.metadata = try metadata()
            default: throw StoredContentsError("unknown element “\(tag.name)”")
            }
        }
    }

    private mutating func trimmedText(of name: String) throws -> String {
        try tokens.text(of: name).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private mutating func metadata() throws -> [String: Any] {
        var result: [String: Any] = [:]
        while let tag = try tokens.child(of: "metadata") {
            guard tag.name == "plist" else { throw StoredContentsError("unknown element “\(tag.name)”") }
            let plist: PropertyListValue
            do throws(XMLTokens.Failure) {
                plist = try PropertyListValue(contentOf: &tokens)
            } catch {
                throw StoredContentsError("the metadata cannot be read: \(error.message)")
            }
            guard let values = plist.foundationValue as? [String: Any] else {
                throw StoredContentsError("the metadata is not a dictionary")
            }
            result = values
        }
        return result
    }

    private mutating func object(_ tag: XMLTokens.Tag) throws -> StoredObject {
        guard let entity = tag["type"], let id = tag["id"] else {
            throw StoredContentsError("an object has no type or no ID")
        }
        var object = StoredObject(entity: entity, number: try Self.number(id))
        while let tag = try tokens.child(of: "object") {
            guard let name = tag["name"] else { throw StoredContentsError("a property has no name") }
            switch tag.name {
            case "attribute":
                guard !object.attributes.contains(where: { $0.name == name }) else {
                    throw StoredContentsError("object \(id) has two attributes “\(name)”")
                }
                let value = try XMLStoreValue.value(tokens.text(of: tag.name), type: tag["type"] ?? "string")
                object.attributes.append(StoredObject.Attribute(name: name, value: value))
            case "relationship":
                guard !object.relationships.contains(where: { $0.name == name }) else {
                    throw StoredContentsError("object \(id) has two relationships “\(name)”")
                }
                _ = try tokens.text(of: tag.name)
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
