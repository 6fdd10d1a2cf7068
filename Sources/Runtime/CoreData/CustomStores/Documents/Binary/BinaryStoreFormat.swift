internal import CompiledModel
internal import Foundation
internal import ModelSchema

/// The format of binary stores, which is this project's own (Documentation/Formats/BinaryStore.md).
///
/// Apple's format is an undocumented archive; such files are rejected.
enum BinaryStoreFormat: StoreFormat {
    static let storeType = NSBinaryStoreType
    static let title = "a binary"
    static let foldsNames = false
    static let firstNumber: Int64 = 0
    static let prefixLength = magic.count

    /// The line endings in it reveal whether a transfer has changed them.
    private static let magic = [UInt8]("MODELC-STORE\r\n\u{1A}\n".utf8)
    private static let version: UInt32 = 1
    private static let digestLength = 32
    private static let headerLength = magic.count + 4 + 8 + digestLength

    static func recognizes(_ prefix: [UInt8]) -> Bool { prefix == magic }

    // MARK: Reading

    static func contents(of bytes: [UInt8]) throws -> StoredContents {
        var header = ByteReader(bytes[...])
        _ = try header.bytes(magic.count)
        let version = try header.fixed(UInt32.self)
        guard version == Self.version else {
            throw StoredContentsError(
                "version \(version) of the format is not supported; this is version \(Self.version)")
        }
        let length = try header.fixed(UInt64.self)
        let digest = try header.bytes(digestLength)
        guard length == UInt64(bytes.count - headerLength) else {
            throw StoredContentsError(
                "the file has \(bytes.count - headerLength) bytes of content instead of \(length)")
        }
        guard Array(digest) == hash(bytes[headerLength...]) else {
            throw StoredContentsError("the checksum does not match")
        }
        return try payload(ByteReader(bytes[headerLength...]))
    }

    private static func hash(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var hasher = SHA256()
        hasher.update(bytes)
        return hasher.finalize()
    }

    private static func payload(_ reader: ByteReader) throws -> StoredContents {
        var reader = reader
        let uuid = try reader.text()
        let bytes = Array(try reader.counted())
        let list: PropertyListValue
        do throws(PropertyListError) {
            list = try PropertyListValue(binary: bytes)
        } catch {
            throw StoredContentsError("the metadata cannot be read: \(error)")
        }
        guard let metadata = list.foundationValue as? [String: Any] else {
            throw StoredContentsError("the metadata is not a dictionary")
        }
        var contents = StoredContents(uuid: uuid, metadata: metadata, lastNumber: try reader.integer())
        let names = try (0..<reader.count()).map { _ in try reader.text() }
        contents.objects = try (0..<reader.count()).map { _ in try object(&reader, names) }
        guard reader.isAtEnd else { throw StoredContentsError("there are bytes after the last object") }
        return contents
    }

    private static func object(_ reader: inout ByteReader, _ names: [String]) throws -> StoredObject {
        var object = StoredObject(entity: try name(&reader, names), number: try reader.integer())
        for _ in 0..<(try reader.count()) {
            object.attributes.append(
                StoredObject.Attribute(name: try name(&reader, names), value: try value(&reader)))
        }
        for _ in 0..<(try reader.count()) {
            let name = try name(&reader, names)
            object.relationships.append(
                StoredObject.Relationship(
                    name: name, numbers: try (0..<reader.count()).map { _ in try reader.integer() }))
        }
        return object
    }

    private static func name(_ reader: inout ByteReader, _ names: [String]) throws -> String {
        let index = try reader.unsigned()
        guard index < UInt64(names.count) else { throw StoredContentsError("invalid index of a name: \(index)") }
        return names[Int(index)]
    }

    /// The bytes that identify the type of a value.
    private enum Tag: UInt8 {
        case no = 0
        case yes = 1
        case integer16 = 2
        case integer32 = 3
        case integer64 = 4
        case double = 5
        case float = 6
        case decimal = 7
        case string = 8
        case date = 9
        case data = 10
        case uuid = 11
        case uri = 12
        case transformed = 13
    }

    private static func value(_ reader: inout ByteReader) throws -> StoredValue {
        let code = try reader.fixed(UInt8.self)
        guard let tag = Tag(rawValue: code) else { throw StoredContentsError("unknown value type: \(code)") }
        switch tag {
        case .no: return .boolean(false)
        case .yes: return .boolean(true)
        case .integer16: return .integer(try reader.integer(), bits: 16)
        case .integer32: return .integer(try reader.integer(), bits: 32)
        case .integer64: return .integer(try reader.integer(), bits: 64)
        case .double: return .double(Double(bitPattern: try reader.fixed(UInt64.self)))
        case .float: return .float(Float(bitPattern: try reader.fixed(UInt32.self)))
        case .decimal: return .decimal(try StoredDecimal.decimal(try reader.text()))
        case .string: return .string(try reader.text())
        case .date: return .date(Double(bitPattern: try reader.fixed(UInt64.self)))
        case .data: return .data(Data(try reader.counted()))
        case .uuid:
            let bytes = Array(try reader.bytes(16))
            return .uuid(bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
        case .uri: return .uri(try reader.text())
        case .transformed: return .transformed(Data(try reader.counted()))
        }
    }

    // MARK: Writing

    static func bytes(of contents: StoredContents) -> [UInt8] {
        var writer = ByteWriter()
        writer.text(contents.uuid)
        writer.counted((PropertyListValue(foundation: contents.metadata) ?? .dictionary([])).binaryBytes())
        writer.integer(contents.lastNumber)
        var names: [String] = []
        var indexes: [String: Int] = [:]
        func record(_ name: String) {
            guard indexes[name] == nil else { return }
            indexes[name] = names.count
            names.append(name)
        }
        for object in contents.objects {
            record(object.entity)
            for attribute in object.attributes { record(attribute.name) }
            for relationship in object.relationships { record(relationship.name) }
        }
        writer.count(names.count)
        for name in names { writer.text(name) }
        writer.count(contents.objects.count)
        for object in contents.objects {
            writer.count(indexes[object.entity] ?? 0)
            writer.integer(object.number)
            writer.count(object.attributes.count)
            for attribute in object.attributes {
                writer.count(indexes[attribute.name] ?? 0)
                write(attribute.value, to: &writer)
            }
            writer.count(object.relationships.count)
            for relationship in object.relationships {
                writer.count(indexes[relationship.name] ?? 0)
                writer.count(relationship.numbers.count)
                for number in relationship.numbers { writer.integer(number) }
            }
        }
        var file = ByteWriter()
        file.bytes += magic
        file.fixed(version)
        file.fixed(UInt64(writer.bytes.count))
        file.bytes += hash(writer.bytes[...])
        file.bytes += writer.bytes
        return file.bytes
    }

    private static func write(_ value: StoredValue, to writer: inout ByteWriter) {
        func tag(_ tag: Tag) { writer.fixed(tag.rawValue) }
        switch value {
        case .boolean(let flag): tag(flag ? .yes : .no)
        case .integer(let number, let bits):
            tag(bits == 16 ? .integer16 : bits == 32 ? .integer32 : .integer64)
            writer.integer(number)
        case .double(let number):
            tag(.double)
            writer.fixed(number.bitPattern)
        case .float(let number):
            tag(.float)
            writer.fixed(number.bitPattern)
        case .decimal(let number):
            tag(.decimal)
            writer.text(StoredDecimal.text(number))
        case .string(let text):
            tag(.string)
            writer.text(text)
        case .date(let seconds):
            tag(.date)
            writer.fixed(seconds.bitPattern)
        case .data(let data):
            tag(.data)
            writer.counted(data)
        case .uuid(let uuid):
            tag(.uuid)
            withUnsafeBytes(of: uuid.uuid) { writer.bytes += $0 }
        case .uri(let text):
            tag(.uri)
            writer.text(text)
        case .transformed(let data):
            tag(.transformed)
            writer.counted(data)
        }
    }
}

/// Decimal numbers as text.
enum StoredDecimal {
    /// Returns the text with all digits, or `NaN` for not a number.
    static func text(_ value: Decimal) -> String { value.description }

    /// Returns the number.
    ///
    /// - Throws: `StoredContentsError`.
    static func decimal(_ text: String) throws -> Decimal {
        if text == "NaN" { return Decimal.nan }
        // Foundation would parse the beginning of any text.
        let isNumber = text.utf8.allSatisfy { byte in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || [43, 45, 46, 69, 101].contains(byte)
        }
        guard isNumber, text.utf8.count < 400, let value = Decimal(string: text, locale: nil) else {
            throw StoredContentsError("invalid decimal number “\(text.prefix(40))”")
        }
        return value
    }
}
