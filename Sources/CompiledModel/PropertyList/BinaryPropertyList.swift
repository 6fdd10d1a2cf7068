/// A binary property list (`bplist00`) as a flat table of its objects, without a tree.
///
/// The format is that of CFBinaryPList.c: objects, then a table of their offsets, then a trailer of 32 bytes. All
/// numbers are big-endian. Whatever the bytes say, reading takes time and memory in proportion to their number: objects
/// that overlap so that they add up to more than the file are refused.
package struct BinaryPropertyList: Sendable {
    /// The references of a container, as a range of the table of all references.
    package struct References: Hashable, Sendable {
        /// The place of the first reference.
        var start: Int
        /// How many elements the container has. A dictionary has as many references to keys, and behind them as many to
        /// values.
        package var count: Int
    }

    /// One object.
    package enum Object: Sendable {
        /// The null object, or the fill byte of the format.
        case null
        /// A Boolean.
        case boolean(Bool)
        /// An integer of up to 8 bytes.
        case integer(Int64)
        /// An integer of 16 bytes.
        case largeInteger(high: UInt64, low: UInt64)
        /// A real number of 64 bits.
        case real(Double)
        /// A real number of 32 bits.
        case float(Float)
        /// A point in time, in seconds since 2001-01-01 00:00 UTC.
        case date(Double)
        /// Bytes, as a range of the file.
        case data(Range<Int>)
        /// Text.
        case string(String)
        /// A reference within a keyed archive.
        case uid(Int)
        /// Values in order.
        case array(References)
        /// Values without order.
        case set(References)
        /// Values by key.
        case dictionary(References)
    }

    /// The bytes that were read.
    let bytes: [UInt8]
    /// All objects, in the order of the table of offsets.
    package let objects: [Object]
    /// The number of the object that holds all others.
    package let rootIndex: Int
    private let references: [UInt32]
    private let offsets: [UInt32]

    /// Reads a binary property list.
    ///
    /// - Throws: `PropertyListError` with the offset of the byte that is wrong.
    package init(_ bytes: [UInt8]) throws(PropertyListError) {
        var parser = try BinaryPropertyListParser(bytes)
        try parser.parseObjects()
        self.bytes = bytes
        objects = parser.objects
        rootIndex = parser.rootIndex
        references = parser.references
        offsets = parser.offsets
    }

    /// The object that a place in the table of references leads to. The parser checked all of them.
    func index(_ reference: Int) -> Int { Int(references[reference]) }

    /// The numbers of the objects in a container.
    func indexes(_ list: References) -> some RandomAccessCollection<UInt32> {
        references[list.start..<list.start + list.count]
    }

    /// The bytes of a data object.
    func data(_ range: Range<Int>) -> ArraySlice<UInt8> { bytes[range] }

    /// Where an object begins.
    func offset(of index: Int) -> Int { Int(offsets[index]) }
}
