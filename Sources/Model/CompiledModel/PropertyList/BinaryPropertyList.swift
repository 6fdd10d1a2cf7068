/// A binary property list (`bplist00`) as a flat table of its objects, without a tree.
///
/// The format is that of CFBinaryPList.c: objects, then a table of their offsets, then a trailer of 32 bytes. All
/// numbers are big-endian. The time and memory for reading are linear in the size of the file, even if it is malformed:
/// overlapping objects whose total size exceeds that of the file are rejected.
package struct BinaryPropertyList: Sendable {
    /// The references of a container, as a range of the table of all references.
    package struct References: Hashable, Sendable {
        /// The index of the first reference.
        var start: Int
        /// The number of elements. A dictionary has this number of references to keys, followed by as many references
        /// to values.
        package var count: Int
    }

    /// One object.
    package enum Object: Sendable {
        /// The null object, or the fill byte of the format.
        case null
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

    let bytes: [UInt8]
    /// All objects, in the order of the table of offsets.
    package let objects: [Object]
    /// The index of the root object.
    package let rootIndex: Int
    private let references: [UInt32]
    private let offsets: [UInt32]

    /// Reads a binary property list.
    ///
    /// - Throws: `PropertyListError` with the offset of the invalid byte.
    package init(_ bytes: [UInt8]) throws(PropertyListError) {
        var parser = try BinaryPropertyListParser(bytes)
        try parser.parseObjects()
        self.bytes = bytes
        objects = parser.objects
        rootIndex = parser.rootIndex
        references = parser.references
        offsets = parser.offsets
    }

    /// Returns the index of the object that a reference refers to. The parser has checked all references.
    func index(_ reference: Int) -> Int { Int(references[reference]) }

    /// Returns the indices of the objects in a container.
    func indexes(_ list: References) -> some RandomAccessCollection<UInt32> {
        references[list.start..<list.start + list.count]
    }

    /// Returns the bytes of a data object.
    func data(_ range: Range<Int>) -> ArraySlice<UInt8> { bytes[range] }

    /// Returns the byte offset of an object.
    func offset(of index: Int) -> Int { Int(offsets[index]) }
}
