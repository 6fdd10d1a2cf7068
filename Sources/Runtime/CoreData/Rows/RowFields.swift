internal import Foundation

/// The fields of a row, in its memory: a word for each slot, then the kind of each, then values that need more space,
/// then strings.
///
/// A row of an object with eight properties and two short strings takes 144 bytes, in one allocation. As enumerations
/// with Swift strings, the values took twice as much and an allocation for each text, and a fetch half as long again.
package struct RowFields {
    /// The words of the slots, which follow the row's header.
    private let words: UnsafeMutablePointer<UInt64>

    /// What the word of a slot is.
    private enum Kind: UInt8 {
        /// Nothing.
        case null
        case boolean
        case integer
        case double
        case float
        case date
        /// The position of a text in the upper half, relative to the words, and its length in the lower one. It may
        /// have been invalid UTF-8 in the store.
        case text
        /// A retained ID.
        case reference
        /// The position of a `SlotValue`, relative to the words.
        case value
    }

    @inline(__always)
    init(_ words: UnsafeMutablePointer<UInt64>) {
        self.words = words
    }

    @inline(__always)
    var address: UnsafeRawPointer { UnsafeRawPointer(words) }

    /// Returns the number of words that fields take.
    @inline(__always)
    static func size(count: Int, valueCount: Int = 0, textSize: Int = 0) -> Int {
        count + (count + 7) / 8 + valueCount * Self.valueSize / 8 + (textSize + 7) / 8
    }

    private static var valueSize: Int { MemoryLayout<SlotValue>.stride }

    /// The number of slots, in the row's header.
    @inline(__always)
    private var count: Int {
        // A pointer to the member: another thread may mark the row as stale.
        let header = UnsafeRawPointer(words) - MemoryLayout<RowHeader>.stride
        return Int(header.load(fromByteOffset: 8, as: Int32.self))
    }

    @inline(__always)
    private func kinds(_ count: Int) -> UnsafeMutablePointer<Kind> {
        UnsafeMutableRawPointer(words + count).assumingMemoryBound(to: Kind.self)
    }

    @inline(__always)
    private func value(at position: UInt64) -> UnsafeMutablePointer<SlotValue> {
        (UnsafeMutableRawPointer(words) + Int(position)).assumingMemoryBound(to: SlotValue.self)
    }

    @inline(__always)
    private func text(_ word: UInt64) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: UnsafeRawPointer(words) + Int(word >> 32), count: Int(truncatingIfNeeded: word & 0xFFFF_FFFF))
    }

    // MARK: Reading

    subscript(slot: Int) -> SlotValue {
        @inline(__always) get {
            let word = words[slot]
            switch kinds(count)[slot] {
            case .null: return .null
            case .boolean: return .boolean(word != 0)
            case .integer: return .integer(Int64(bitPattern: word))
            case .double: return .double(Double(bitPattern: word))
            case .float: return .float(Float(bitPattern: UInt32(truncatingIfNeeded: word)))
            case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: word)))
            case .text: return .string(String(decoding: text(word), as: UTF8.self))
            case .reference: return .reference(Self.id(word).takeUnretainedValue())
            case .value: return value(at: word).pointee
            }
        }
    }

    @inline(__always)
    private static func id(_ word: UInt64) -> Unmanaged<NSManagedObjectID> {
        // The word is what `Builder.set(_:at:)` has made of the ID.
        Unmanaged.fromOpaque(UnsafeRawPointer(bitPattern: UInt(word)).unsafelyUnwrapped)
    }

    /// Returns whether the value of a slot needs space beside its word in a new row.
    @inline(__always)
    func needsSpace(_ slot: Int) -> Bool {
        switch kinds(count)[slot] {
        case .text, .value: true
        default: false
        }
    }

    /// Returns whether a slot has a value that an object has read from it and not set since. The values may be equal
    /// otherwise.
    @inline(__always)
    func isSame(_ slot: Int, as own: UnsafePointer<SlotValue>) -> Bool {
        let word = words[slot]
        switch (kinds(count)[slot], own.pointee) {
        case (.null, .null): return true
        case (.boolean, .boolean(let value)): return value == (word != 0)
        case (.integer, .integer(let value)): return value == Int64(bitPattern: word)
        case (.double, .double(let value)): return value.bitPattern == word
        case (.float, .float(let value)): return value.bitPattern == UInt32(truncatingIfNeeded: word)
        case (.date, .date(let value)): return value.timeIntervalSinceReferenceDate.bitPattern == word
        case (.text, .string(let value)):
            let saved = text(word)
            return value.utf8.withContiguousStorageIfAvailable { bytes in
                guard bytes.count == saved.count, let start = bytes.baseAddress, let savedStart = saved.baseAddress
                else {
                    return bytes.count == saved.count
                }
                return memcmp(start, savedStart, saved.count) == 0
            } ?? false
        case (.reference, .reference(let id)):
            return Unmanaged.passUnretained(id).toOpaque() == Self.id(word).toOpaque()
        case (.value, _): return SlotValue.areIdentical(own, value(at: word))
        default: return false
        }
    }

    /// Returns about the number of bytes that the value of a slot takes beside its word.
    func additionalSize(_ slot: Int) -> Int {
        switch kinds(count)[slot] {
        case .text: text(words[slot]).count
        case .value: Self.valueSize + value(at: words[slot]).pointee.size
        default: 0
        }
    }

    /// Releases the references of a row that is being destroyed.
    func release(count: Int) {
        let kinds = kinds(count)
        for slot in 0..<count {
            switch kinds[slot] {
            case .reference: Self.id(words[slot]).release()
            case .value: value(at: words[slot]).deinitialize(count: 1)
            default: break
            }
        }
    }

    // MARK: Writing

    /// Sets the fields of a new row.
    package struct Builder {
        private let fields: RowFields
        private let kinds: UnsafeMutablePointer<Kind>
        /// The positions of the next value and the next text, and where their space ends.
        private var nextValue: Int
        private let valuesEnd: Int
        private var nextText: Int
        private let textsEnd: Int
        private(set) var holdsReferences = false

        /// Creates a builder for uninitialized fields, which become null.
        @inline(__always)
        init(_ fields: RowFields, count: Int, valueCount: Int, textSize: Int) {
            assert(fields.count == count, "the fields do not follow the header")
            self.fields = fields
            kinds = fields.kinds(count)
            kinds.initialize(repeating: .null, count: count)
            nextValue = RowFields.size(count: count) * MemoryLayout<UInt64>.size
            valuesEnd = nextValue + valueCount * RowFields.valueSize
            nextText = valuesEnd
            textsEnd = valuesEnd + textSize
        }

        @inline(__always)
        private func set(_ kind: Kind, _ word: UInt64, at slot: Int) {
            fields.words[slot] = word
            kinds[slot] = kind
        }

        @inline(__always)
        func set(_ value: Int64, at slot: Int) { set(.integer, UInt64(bitPattern: value), at: slot) }

        @inline(__always)
        func set(_ value: Bool, at slot: Int) { set(.boolean, value ? 1 : 0, at: slot) }

        @inline(__always)
        func set(_ value: Double, at slot: Int) { set(.double, value.bitPattern, at: slot) }

        @inline(__always)
        func set(_ value: Float, at slot: Int) { set(.float, UInt64(value.bitPattern), at: slot) }

        @inline(__always)
        func set(_ value: Date, at slot: Int) {
            set(.date, value.timeIntervalSinceReferenceDate.bitPattern, at: slot)
        }

        /// Sets a text of at most `Row.textLimit` bytes. Traps if there is no space for it.
        @inline(__always)
        package mutating func setText(_ bytes: UnsafeRawBufferPointer, at slot: Int) {
            precondition(bytes.count <= textsEnd - nextText, "a row has no space for a text")
            if let start = bytes.baseAddress {
                (UnsafeMutableRawPointer(fields.words) + nextText).copyMemory(from: start, byteCount: bytes.count)
            }
            set(.text, UInt64(nextText) << 32 | UInt64(bytes.count), at: slot)
            nextText += bytes.count
        }

        /// Sets any value. Traps if it needs space, and there is none.
        @inline(__always)
        package mutating func set(_ value: SlotValue, at slot: Int) {
            switch value {
            case .null: break
            case .boolean(let value): set(value, at: slot)
            case .integer(let value): set(value, at: slot)
            case .double(let value): set(value, at: slot)
            case .float(let value): set(value, at: slot)
            case .date(let value): set(value, at: slot)
            case .reference(let id):
                let word = UInt64(UInt(bitPattern: Unmanaged.passRetained(id).toOpaque()))
                set(.reference, word, at: slot)
                holdsReferences = true
            default:
                precondition(nextValue < valuesEnd, "a row has no space for a value")
                fields.value(at: UInt64(nextValue)).initialize(to: value)
                set(.value, UInt64(nextValue), at: slot)
                nextValue += RowFields.valueSize
                holdsReferences = true
            }
        }
    }
}

extension SlotValue {
    /// Whether the value needs space beside its word in a row.
    var needsSpace: Bool {
        switch self {
        case .null, .boolean, .integer, .double, .float, .date, .reference: false
        default: true
        }
    }
}
