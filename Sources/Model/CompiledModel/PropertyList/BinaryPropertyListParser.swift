/// Reads the objects of a binary property list into flat tables.
struct BinaryPropertyListParser {
    private(set) var objects: [BinaryPropertyList.Object] = []
    private(set) var references: [UInt32] = []
    private(set) var offsets: [UInt32] = []
    let rootIndex: Int

    private let bytes: [UInt8]
    private let objectCount: Int
    private let referenceSize: Int
    private let offsetSize: Int
    private let offsetTable: Int
    /// The number of bytes that further objects may have; see `BinaryPropertyList`.
    private var remainingPayload: Int

    private static let magic = Array("bplist0".utf8)
    private static let trailerSize = 32

    /// Reads the trailer.
    init(_ bytes: [UInt8]) throws(PropertyListError) {
        guard bytes.starts(with: Self.magic) else { throw Self.foreignFile(bytes) }
        guard bytes.count >= 8 + Self.trailerSize else {
            throw PropertyListError("the property list ends early", at: bytes.count)
        }
        // Offsets and references are kept in 32 bits.
        guard bytes.count <= Int(Int32.max) else {
            throw PropertyListError(.isTooLarge, "the property list has more than 2 GB", at: 0)
        }
        let trailer = bytes.count - Self.trailerSize
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard 1...8 ~= offsetSize, 1...8 ~= referenceSize else {
            throw PropertyListError("invalid integer sizes in the trailer", at: trailer + 6)
        }
        guard let count = Self.number(in: bytes, at: trailer + 8, size: 8), count > 0,
            let root = Self.number(in: bytes, at: trailer + 16, size: 8), root < count,
            let table = Self.number(in: bytes, at: trailer + 24, size: 8), table >= 8, table <= trailer,
            count <= (trailer - table) / offsetSize
        else {
            throw PropertyListError("trailer values out of bounds", at: trailer + 8)
        }
        self.bytes = bytes
        objectCount = count
        rootIndex = root
        offsetTable = table
        remainingPayload = bytes.count
    }

    private static func foreignFile(_ bytes: [UInt8]) -> PropertyListError {
        let start = bytes.drop { [0xEF, 0xBB, 0xBF, 0x20, 0x09, 0x0A, 0x0D].contains($0) }
        for beginning in ["<?xml", "<!DOCTYPE", "<plist"] where start.starts(with: beginning.utf8) {
            return PropertyListError(.isXML, "this is a property list in XML; only the binary form can be read", at: 0)
        }
        return PropertyListError(
            .isSomethingElse, bytes.isEmpty ? "the file is empty" : "this is not a binary property list", at: 0)
    }

    mutating func parseObjects() throws(PropertyListError) {
        objects.reserveCapacity(objectCount)
        offsets.reserveCapacity(objectCount)
        for index in 0..<objectCount {
            let entry = offsetTable + index * offsetSize
            guard let offset = Self.number(in: bytes, at: entry, size: offsetSize), offset >= 8, offset < offsetTable
            else { throw PropertyListError("the offset of object \(index) is out of bounds", at: entry) }
            offsets.append(UInt32(offset))
            objects.append(try object(at: offset))
        }
    }

    private mutating func object(at offset: Int) throws(PropertyListError) -> BinaryPropertyList.Object {
        let marker = bytes[offset]
        let low = Int(marker & 0x0F)
        switch marker >> 4 {
        case 0x0:
            switch low {
            case 0x0, 0xF: return .null
            case 0x8: return .boolean(false)
            case 0x9: return .boolean(true)
            default: throw unknown(marker, at: offset)
            }
        case 0x1: return try integer(at: offset, sizeExponent: low)
        case 0x2:
            if low == 2 {
                return .float(Float(bitPattern: UInt32(truncatingIfNeeded: try bits(at: offset + 1, size: 4))))
            }
            if low == 3 { return .real(Double(bitPattern: try bits(at: offset + 1, size: 8))) }
            throw unknown(marker, at: offset)
        case 0x3:
            guard low == 3 else { throw unknown(marker, at: offset) }
            return .date(Double(bitPattern: try bits(at: offset + 1, size: 8)))
        case 0x4: return .data(try payload(at: offset, elementSize: 1))
        case 0x5: return .string(String(decoding: bytes[try payload(at: offset, elementSize: 1)], as: UTF8.self))
        case 0x6: return .string(wideString(try payload(at: offset, elementSize: 2)))
        case 0x7: return .string(String(decoding: bytes[try payload(at: offset, elementSize: 1)], as: UTF8.self))
        case 0x8:
            // A reference beyond 2^31 is always invalid; its exact value is not needed to reject it later.
            guard low < 8 else { throw unknown(marker, at: offset) }
            return .uid(Int(truncatingIfNeeded: min(try bits(at: offset + 1, size: low + 1), UInt64(UInt32.max))))
        case 0xA: return .array(try container(at: offset, referencesPerElement: 1))
        case 0xB, 0xC: return .set(try container(at: offset, referencesPerElement: 1))
        case 0xD: return .dictionary(try container(at: offset, referencesPerElement: 2))
        default: throw unknown(marker, at: offset)
        }
    }

    private func integer(at offset: Int, sizeExponent: Int) throws(PropertyListError) -> BinaryPropertyList.Object {
        switch sizeExponent {
        // Integers of up to 4 bytes are unsigned, those of 8 bytes signed, as in Apple's reader.
        case 0...3: return .integer(Int64(bitPattern: try bits(at: offset + 1, size: 1 << sizeExponent)))
        case 4:
            return .largeInteger(high: try bits(at: offset + 1, size: 8), low: try bits(at: offset + 9, size: 8))
        default: throw unknown(bytes[offset], at: offset)
        }
    }

    private func wideString(_ range: Range<Int>) -> String {
        let units = stride(from: range.lowerBound, to: range.upperBound, by: 2).lazy
            .map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        return String(decoding: Array(units), as: UTF16.self)
    }

    private mutating func container(
        at offset: Int, referencesPerElement: Int
    ) throws(PropertyListError) -> BinaryPropertyList.References {
        let range = try payload(at: offset, elementSize: referenceSize * referencesPerElement)
        let list = BinaryPropertyList.References(
            start: references.count, count: range.count / (referenceSize * referencesPerElement))
        for position in stride(from: range.lowerBound, to: range.upperBound, by: referenceSize) {
            guard let index = Self.number(in: bytes, at: position, size: referenceSize), index < objectCount else {
                throw PropertyListError("a container refers to an object that does not exist", at: position)
            }
            references.append(UInt32(index))
        }
        return list
    }

    /// Returns the bytes of an object whose length is in its marker or follows it.
    private mutating func payload(at offset: Int, elementSize: Int) throws(PropertyListError) -> Range<Int> {
        var start = offset + 1
        var count = Int(bytes[offset] & 0x0F)
        if count == 0x0F {
            guard start < offsetTable, bytes[start] >> 4 == 0x1, bytes[start] & 0x0F <= 3 else {
                throw PropertyListError("the length of an object is not a number", at: start)
            }
            let size = 1 << Int(bytes[start] & 0x0F)
            guard start + 1 + size <= offsetTable, let length = Self.number(in: bytes, at: start + 1, size: size) else {
                throw PropertyListError("invalid length of an object", at: start)
            }
            count = length
            start += 1 + size
        }
        guard count <= (offsetTable - start) / elementSize else {
            throw PropertyListError("an object is longer than the file", at: offset)
        }
        remainingPayload -= count * elementSize
        guard remainingPayload >= 0 else {
            throw PropertyListError(.isTooLarge, "objects overlap and add up to more than the file", at: offset)
        }
        return start..<start + count * elementSize
    }

    private func bits(at offset: Int, size: Int) throws(PropertyListError) -> UInt64 {
        guard offset + size <= offsetTable else { throw PropertyListError("an object ends early", at: offset) }
        return bytes[offset..<offset + size].reduce(0) { $0 << 8 | UInt64($1) }
    }

    private func unknown(_ marker: UInt8, at offset: Int) -> PropertyListError {
        PropertyListError("no object begins with the byte 0x\(String(marker, radix: 16))", at: offset)
    }

    /// Returns an unsigned number; `nil` if it is larger than any offset.
    private static func number(in bytes: [UInt8], at offset: Int, size: Int) -> Int? {
        var value: UInt64 = 0
        for byte in bytes[offset..<offset + size] { value = value << 8 | UInt64(byte) }
        return value <= UInt64(Int32.max) ? Int(value) : nil
    }
}
