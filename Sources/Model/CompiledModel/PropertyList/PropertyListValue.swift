/// A property list as a tree of values, for small lists and for writing.
///
/// Archives are read through `BinaryPropertyList`, which does not build a tree.
package indirect enum PropertyListValue: Hashable, Sendable {
    case boolean(Bool)
    case integer(Int64)
    /// An integer beyond `Int64.max`.
    case unsigned(UInt64)
    /// A real number of 64 bits.
    case real(Double)
    /// A real number of 32 bits, which Apple writes for `float`.
    case float(Float)
    /// A point in time, in seconds since 2001-01-01 00:00 UTC.
    case date(Double)
    /// Bytes.
    case data([UInt8])
    /// Text.
    case string(String)
    /// A reference within a keyed archive.
    case uid(Int)
    /// Values in order.
    case array([PropertyListValue])
    /// Values without order, which only the binary format supports.
    case set([PropertyListValue])
    /// Values by key, in the order of the file.
    case dictionary([Entry])

    /// A key with its value.
    package struct Entry: Hashable, Sendable {
        package var key: String
        package var value: PropertyListValue

        /// Creates an entry.
        package init(_ key: String, _ value: PropertyListValue) {
            self.key = key
            self.value = value
        }
    }

    /// The value of a dictionary's key, or `nil` if the key is absent or this is not a dictionary.
    package subscript(_ key: String) -> PropertyListValue? {
        guard case .dictionary(let entries) = self else { return nil }
        return entries.first { $0.key == key }?.value
    }

    /// The entries of a dictionary, or `nil`.
    package var dictionary: [Entry]? {
        guard case .dictionary(let entries) = self else { return nil }
        return entries
    }

    /// The text, or `nil`.
    package var string: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    /// The bytes, or `nil`.
    package var data: [UInt8]? {
        guard case .data(let bytes) = self else { return nil }
        return bytes
    }

    /// Reads a property list in XML or in the binary format.
    ///
    /// - Throws: `PropertyListError`; see `init(binary:)`.
    package init(_ bytes: [UInt8]) throws(PropertyListError) {
        do {
            self = try Self(binary: bytes)
        } catch {
            guard error.kind == .isXML else { throw error }
            self = try XMLPropertyListParser.parse(bytes)
        }
    }

    /// Reads the property list of an element `plist` in XML, after its start tag and past its end tag.
    package init(contentOf tokens: inout XMLTokens) throws(XMLTokens.Failure) {
        self = try XMLPropertyListParser.content(of: &tokens)
    }

    /// Reads a binary property list.
    ///
    /// - Throws: `PropertyListError`, also for a list that contains itself, is nested more deeply than
    ///   `BinaryPropertyList.maximumDepth`, or expands to far more than its size.
    package init(binary bytes: [UInt8]) throws(PropertyListError) {
        self = try BinaryPropertyList(bytes).rootValue()
    }

    /// Returns the list in Apple's binary format, `bplist00`. The same value always produces the same bytes.
    package func binaryBytes() -> [UInt8] {
        var builder = BinaryPropertyListBuilder()
        let root = builder.add(self)
        return builder.finish(root: root)
    }
}

extension BinaryPropertyList {
    /// The maximum nesting of a property list.
    package static let maximumDepth = 200

    /// Returns the list as a tree.
    ///
    /// - Throws: `PropertyListError` if the list contains itself, is nested too deeply, expands to more than a thousand
    ///   values for each of its objects, or contains an object that current property lists do not support.
    package func rootValue() throws(PropertyListError) -> PropertyListValue {
        // A container that is referenced twice is expanded twice, so that a few bytes could expand beyond any memory.
        var budget = max(objects.count, 1000) * 1000
        return try value(rootIndex, depth: 0, &budget)
    }

    private func value(_ index: Int, depth: Int, _ budget: inout Int) throws(PropertyListError) -> PropertyListValue {
        guard depth <= Self.maximumDepth else {
            throw PropertyListError(
                .isTooLarge, "the property list contains itself or is nested too deeply", at: offset(of: index))
        }
        budget -= 1
        guard budget > 0 else {
            throw PropertyListError(.isTooLarge, "the property list unfolds to too many values", at: offset(of: index))
        }
        switch objects[index] {
        case .boolean(let value): return .boolean(value)
        case .integer(let value): return .integer(value)
        case .largeInteger(let high, let low) where high == 0: return .unsigned(low)
        case .real(let value): return .real(value)
        case .float(let value): return .float(value)
        case .date(let value): return .date(value)
        case .data(let range): return .data(Array(bytes[range]))
        case .string(let text): return .string(text)
        case .uid(let number): return .uid(number)
        case .array(let list): return .array(try values(list, depth: depth, &budget))
        case .set(let list): return .set(try values(list, depth: depth, &budget))
        case .dictionary(let list):
            var entries: [PropertyListValue.Entry] = []
            entries.reserveCapacity(list.count)
            for position in 0..<list.count {
                guard case .string(let key) = objects[self.index(list.start + position)] else {
                    throw PropertyListError("a dictionary has a key that is not a string", at: offset(of: index))
                }
                let child = self.index(list.start + list.count + position)
                entries.append(PropertyListValue.Entry(key, try value(child, depth: depth + 1, &budget)))
            }
            return .dictionary(entries)
        case .null, .largeInteger:
            throw PropertyListError("an object has a type that has no meaning here", at: offset(of: index))
        }
    }

    private func values(
        _ list: References, depth: Int, _ budget: inout Int
    ) throws(PropertyListError) -> [PropertyListValue] {
        var values: [PropertyListValue] = []
        values.reserveCapacity(list.count)
        for position in 0..<list.count {
            values.append(try value(index(list.start + position), depth: depth + 1, &budget))
        }
        return values
    }
}
