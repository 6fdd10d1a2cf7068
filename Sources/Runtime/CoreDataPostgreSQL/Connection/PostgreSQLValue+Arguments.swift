internal import CoreData
internal import Foundation
internal import PostgreSQLClient
internal import PostgreSQLSchema

/// Values in the server's binary format.
extension PostgreSQLValue {
    init(_ argument: SQLArgument) {
        switch argument {
        case .null: self.init(type: TypeNumber.text, bytes: nil)
        case .boolean(let flag): self.init(type: TypeNumber.boolean, bytes: [flag ? 1 : 0])
        case .integer(let number): self.init(number)
        case .real(let number): self.init(number)
        case .decimal(let digits):
            self.init(type: TypeNumber.numeric, bytes: PostgreSQLNumeric.bytes(digits) ?? PostgreSQLNumeric.notANumber)
        case .text(let text): self.init(text)
        case .uuid(let uuid):
            self.init(type: TypeNumber.uuid, bytes: withUnsafeBytes(of: uuid.uuid) { Array($0) })
        case .bytes(let bytes): self.init(type: TypeNumber.bytea, bytes: [UInt8](bytes))
        case .array(let elements):
            var array = PostgreSQLArray(element: elements.first.flatMap(Self.elementType) ?? TypeNumber.text)
            for element in elements { array.append(PostgreSQLValue(element).bytes) }
            self = array.parameter
        }
    }

    init(_ number: Int64) {
        self = .int(number)
    }

    init(_ number: Double) {
        self.init(type: TypeNumber.float8, bytes: withUnsafeBytes(of: number.bitPattern.bigEndian) { Array($0) })
    }

    init(_ text: String) {
        self = .text(text)
    }

    /// Creates an array of integers.
    init(_ numbers: some Sequence<Int64>) {
        var array = PostgreSQLArray(element: TypeNumber.int8)
        for number in numbers { array.append(number) }
        self = array.parameter
    }

    /// Returns the type of an argument as an array element, or `nil` for null and arrays.
    static func elementType(_ argument: SQLArgument) -> UInt32? {
        switch argument {
        case .null, .array: nil
        case .boolean: TypeNumber.boolean
        case .integer: TypeNumber.int8
        case .real: TypeNumber.float8
        case .decimal: TypeNumber.numeric
        case .text: TypeNumber.text
        case .uuid: TypeNumber.uuid
        case .bytes: TypeNumber.bytea
        }
    }
}

extension Statement {
    /// Returns a query for whether a table exists, to which `Rows.isTrue` is the answer.
    static func hasTable(_ qualifiedName: String) -> Statement {
        Statement("SELECT to_regclass($1) IS NOT NULL", [PostgreSQLValue(qualifiedName)])
    }
}

extension Rows {
    /// Whether the only value is `true`.
    var isTrue: Bool { bytes(0, 0)?.first == 1 }
}

/// A growing one-dimensional array in the server's binary format.
struct PostgreSQLArray {
    let element: UInt32
    private(set) var count = 0
    private var buffer = PostgreSQLRowBuffer()
    private var hasNull = false

    init(element: UInt32) {
        self.element = element
    }

    /// Appends an element; `nil` for null.
    mutating func append(_ value: [UInt8]?) {
        append { buffer in
            if let value { buffer.append(value) } else { buffer.appendNull() }
            return value != nil
        }
    }

    mutating func append(_ number: Int64) {
        count += 1
        buffer.append(number)
    }

    /// Appends the element that a closure writes. The closure returns whether it is not null.
    @inline(__always)
    mutating func append(_ write: (inout PostgreSQLRowBuffer) throws -> Bool) rethrows {
        count += 1
        if try !write(&buffer) { hasNull = true }
    }

    var parameter: PostgreSQLValue {
        var all: [UInt8] = []
        all.reserveCapacity(buffer.bytes.count + 20)
        func add(_ number: Int32) { withUnsafeBytes(of: number.bigEndian) { all += $0 } }
        add(count == 0 ? 0 : 1)
        add(hasNull ? 1 : 0)
        add(Int32(bitPattern: element))
        if count > 0 {
            add(Int32(count))
            add(1)
        }
        all += buffer.bytes
        return PostgreSQLValue(type: PostgreSQLValue.TypeNumber.array(of: element), bytes: all)
    }
}

/// The server's binary format of `numeric`: groups of four digits.
enum PostgreSQLNumeric {
    static let notANumber: [UInt8] = [0, 0, 0, 0, 0xC0, 0, 0, 0]

    /// Returns the bytes of a decimal number, with or without an exponent, or `nil` for any other text.
    static func bytes(_ text: String) -> [UInt8]? {
        var digits = Substring(text)
        let isNegative = digits.first == "-"
        if isNegative || digits.first == "+" { digits = digits.dropFirst() }
        var exponent = 0
        if let mark = digits.firstIndex(where: { $0 == "e" || $0 == "E" }) {
            guard let number = Int(digits[digits.index(after: mark)...]), abs(number) < 1000 else { return nil }
            exponent = number
            digits = digits[..<mark]
        }
        let parts = digits.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = parts.count > 1 ? parts[1] : ""
        var all = Array((String(parts.first ?? "") + fraction).utf8)
        guard !all.isEmpty, all.allSatisfy({ $0 >= 48 && $0 <= 57 }) else { return nil }
        // The number of digits after the decimal point.
        var scale = fraction.count - exponent
        if scale < 0 {
            all += Array(repeating: 48, count: -scale)
            scale = 0
        }
        if all.count < scale { all = Array(repeating: 48, count: scale - all.count) + all }
        return groups(all, scale: scale, isNegative: isNegative)
    }

    private static func groups(_ digits: [UInt8], scale: Int, isNegative: Bool) -> [UInt8] {
        let whole = digits.count - scale
        let front = (4 - whole % 4) % 4
        let back = (4 - scale % 4) % 4
        let padded = Array(repeating: 48, count: front) + digits + Array(repeating: 48 as UInt8, count: back)
        var words = stride(from: 0, to: padded.count, by: 4).map { start in
            padded[start..<start + 4].reduce(0 as Int16) { $0 * 10 + Int16($1) - 48 }
        }
        var weight = (whole + front) / 4 - 1
        while words.first == 0 {
            words.removeFirst()
            weight -= 1
        }
        while words.last == 0 { words.removeLast() }
        var result: [UInt8] = []
        func add(_ number: Int16) { withUnsafeBytes(of: number.bigEndian) { result += $0 } }
        add(Int16(words.count))
        add(words.isEmpty ? 0 : Int16(weight))
        add(isNegative && !words.isEmpty ? 0x4000 : 0)
        add(Int16(scale))
        for word in words { add(word) }
        return result
    }

    /// Returns the number as text, or `nil` for NaN, infinities and invalid bytes.
    static func text(_ bytes: UnsafeRawBufferPointer) -> String? {
        guard bytes.count >= 8 else { return nil }
        func word(_ index: Int) -> Int {
            Int(Int16(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 2, as: Int16.self)))
        }
        let (count, weight, sign, scale) = (word(0), word(1), word(2), word(3))
        guard sign == 0 || sign == 0x4000, count >= 0, bytes.count >= 8 + count * 2 else { return nil }
        var result = sign == 0 ? "" : "-"
        func group(_ index: Int) -> String {
            let value = index >= 0 && index < count ? word(4 + index) : 0
            let digits = String(value)
            return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
        }
        var whole = ""
        if weight >= 0 { for index in 0...weight { whole += group(index) } }
        let trimmed = whole.drop { $0 == "0" }
        result += trimmed.isEmpty ? "0" : String(trimmed)
        guard scale > 0 else { return result }
        var fraction = ""
        var index = weight + 1
        while fraction.count < scale {
            fraction += group(index)
            index += 1
        }
        return result + "." + fraction.prefix(scale)
    }
}
