/// Writes a binary property list object by object.
///
/// Equal strings and numbers become one object, as in Apple's files. The same calls always produce the same bytes.
struct BinaryPropertyListBuilder {
    private enum Item {
        /// A finished object: a range of `scalars`.
        case scalar(Range<Int>)
        /// A container: its marker, the number of its elements, and a range of `references`.
        case container(marker: UInt8, count: Int, references: Range<Int>)
    }

    /// The identity of a scalar: equal ones become the same object.
    private enum Scalar: Hashable {
        case boolean(Bool)
        case integer(Int64)
        case unsigned(UInt64)
        case real(UInt64)
        case float(UInt32)
        case date(UInt64)
        case string(String)
        case uid(Int)
    }

    private var items: [Item] = []
    private var scalars: [UInt8] = []
    private var references: [Int] = []
    private var indexes: [Scalar: Int] = [:]

    /// Adds a tree of values. Returns the index of its root.
    mutating func add(_ value: PropertyListValue) -> Int {
        switch value {
        case .boolean(let value): return add(value)
        case .integer(let value): return add(value)
        case .unsigned(let value):
            return add(.unsigned(value)) { [0x14] + bigEndian(0, size: 8) + bigEndian(value, size: 8) }
        case .real(let value): return add(value)
        case .float(let value): return add(value)
        case .date(let value): return add(.date(value.bitPattern)) { [0x33] + bigEndian(value.bitPattern, size: 8) }
        case .data(let bytes): return add(bytes)
        case .string(let text): return add(text)
        case .uid(let number): return add(uid: number)
        case .array(let values): return addContainer(marker: 0xA0, count: values.count, values.map { add($0) })
        case .set(let values): return addContainer(marker: 0xC0, count: values.count, values.map { add($0) })
        case .dictionary(let entries):
            let keys = entries.map { add($0.key) }
            return addContainer(marker: 0xD0, count: entries.count, keys + entries.map { add($0.value) })
        }
    }

    mutating func add(_ value: Bool) -> Int { add(.boolean(value)) { [value ? 0x09 : 0x08] } }

    /// Adds an integer, in as few bytes as Apple's writer.
    mutating func add(_ value: Int64) -> Int {
        add(.integer(value)) {
            switch value {
            case 0...0xFF: [0x10, UInt8(value)]
            case 0...0xFFFF: [0x11] + bigEndian(UInt64(value), size: 2)
            case 0...0xFFFF_FFFF: [0x12] + bigEndian(UInt64(value), size: 4)
            default: [0x13] + bigEndian(UInt64(bitPattern: value), size: 8)
            }
        }
    }

    /// Adds a real number of 64 bits.
    mutating func add(_ value: Double) -> Int {
        add(.real(value.bitPattern)) { [0x23] + bigEndian(value.bitPattern, size: 8) }
    }

    /// Adds a real number of 32 bits.
    mutating func add(_ value: Float) -> Int {
        add(.float(value.bitPattern)) { [0x22] + bigEndian(UInt64(value.bitPattern), size: 4) }
    }

    mutating func add(_ bytes: [UInt8]) -> Int {
        let start = scalars.count
        scalars += Self.header(marker: 0x40, count: bytes.count)
        scalars += bytes
        return append(.scalar(start..<scalars.count))
    }

    mutating func add(_ text: String) -> Int {
        add(.string(text)) {
            let utf8 = Array(text.utf8)
            guard utf8.contains(where: { $0 >= 0x80 }) else {
                return Self.header(marker: 0x50, count: utf8.count) + utf8
            }
            let units = Array(text.utf16)
            return Self.header(marker: 0x60, count: units.count) + units.flatMap { bigEndian(UInt64($0), size: 2) }
        }
    }

    /// Adds a reference within a keyed archive.
    mutating func add(uid number: Int) -> Int {
        add(.uid(number)) {
            let size = number <= 0xFF ? 1 : number <= 0xFFFF ? 2 : 4
            return [0x80 | UInt8(size - 1)] + bigEndian(UInt64(number), size: size)
        }
    }

    /// Adds an array of objects that were already added.
    mutating func addArray(_ elements: [Int]) -> Int { addContainer(marker: 0xA0, count: elements.count, elements) }

    /// Adds a dictionary of keys and values that were already added.
    mutating func addDictionary(keys: [Int], values: [Int]) -> Int {
        addContainer(marker: 0xD0, count: keys.count, keys + values)
    }

    /// Writes the list.
    consuming func finish(root: Int) -> [UInt8] {
        let referenceSize = Self.size(for: items.count)
        var output = Array("bplist00".utf8)
        var offsets: [Int] = []
        offsets.reserveCapacity(items.count)
        for item in items {
            offsets.append(output.count)
            switch item {
            case .scalar(let range): output += scalars[range]
            case .container(let marker, let count, let range):
                output += Self.header(marker: marker, count: count)
                for reference in references[range] { Self.append(UInt64(reference), size: referenceSize, to: &output) }
            }
        }
        let table = output.count
        let offsetSize = Self.size(for: table)
        for offset in offsets { Self.append(UInt64(offset), size: offsetSize, to: &output) }
        output += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
        for number in [items.count, root, table] { Self.append(UInt64(number), size: 8, to: &output) }
        return output
    }

    private mutating func add(_ scalar: Scalar, bytes: () -> [UInt8]) -> Int {
        if let index = indexes[scalar] { return index }
        let start = scalars.count
        scalars += bytes()
        let index = append(.scalar(start..<scalars.count))
        indexes[scalar] = index
        return index
    }

    private mutating func addContainer(marker: UInt8, count: Int, _ elements: [Int]) -> Int {
        let start = references.count
        references += elements
        return append(.container(marker: marker, count: count, references: start..<references.count))
    }

    private mutating func append(_ item: Item) -> Int {
        items.append(item)
        return items.count - 1
    }

    private static func header(marker: UInt8, count: Int) -> [UInt8] {
        guard count >= 15 else { return [marker | UInt8(count)] }
        let (exponent, size): (UInt8, Int) = count <= 0xFF ? (0, 1) : count <= 0xFFFF ? (1, 2) : (2, 4)
        return [marker | 0x0F, 0x10 | exponent] + bigEndian(UInt64(count), size: size)
    }

    /// Returns the number of bytes that a number needs.
    private static func size(for number: Int) -> Int {
        number <= 0xFF ? 1 : number <= 0xFFFF ? 2 : number <= 0xFF_FFFF ? 3 : 4
    }

    private static func append(_ value: UInt64, size: Int, to output: inout [UInt8]) {
        for shift in stride(from: 8 * (size - 1), through: 0, by: -8) {
            output.append(UInt8(truncatingIfNeeded: value >> UInt64(shift)))
        }
    }
}

private func bigEndian(_ value: UInt64, size: Int) -> [UInt8] {
    stride(from: 8 * (size - 1), through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> UInt64($0)) }
}
