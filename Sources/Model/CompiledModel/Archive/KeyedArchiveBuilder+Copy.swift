extension KeyedArchive {
    /// Returns an object with everything it refers to as a separate archive; `nil` if it cannot be copied.
    package func archive(of object: ObjectID) -> [UInt8]? {
        var builder = KeyedArchiveBuilder()
        guard let root = builder.add(copyOf: object, from: self) else { return nil }
        return builder.finish(root: root)
    }
}

extension KeyedArchiveBuilder {
    /// Copies an object of another archive with everything it refers to, regardless of the classes.
    ///
    /// - Returns: The copy, or `nil` if the object refers to one that does not exist, or is not a value that an archive
    ///   can hold.
    package mutating func add(copyOf object: KeyedArchive.ObjectID, from archive: KeyedArchive) -> Reference? {
        var copy = ArchiveCopy(archive)
        return copy.add(object, to: &self)
    }
}

/// A copy of an object and of everything it refers to.
private struct ArchiveCopy {
    /// The maximum nesting of the property list of one object; Apple's objects are dictionaries of arrays.
    private static let maximumDepth = 8

    private let archive: KeyedArchive
    private var copies: [Int: KeyedArchiveBuilder.Reference] = [:]
    private var waiting: [Int] = []
    /// The number of values that may still be copied. Containers can be shared, so that a small file could expand to
    /// any size.
    private var budget: Int

    init(_ archive: KeyedArchive) {
        self.archive = archive
        budget = archive.objectCount * 20 + 1000
    }

    mutating func add(
        _ object: KeyedArchive.ObjectID, to builder: inout KeyedArchiveBuilder
    ) -> KeyedArchiveBuilder.Reference? {
        guard let root = copy(of: object.number, &builder) else { return nil }
        while let number = waiting.popLast() {
            guard let reference = copies[number],
                let value = value(archive.listIndex(of: KeyedArchive.ObjectID(number: number)), depth: 0, &builder)
            else { return nil }
            builder.define(reference, as: value)
        }
        return root
    }

    private mutating func copy(
        of number: Int, _ builder: inout KeyedArchiveBuilder
    ) -> KeyedArchiveBuilder.Reference? {
        if number == 0 { return .null }
        guard number < archive.objectCount else { return nil }
        if let reference = copies[number] { return reference }
        let reference = builder.announce()
        copies[number] = reference
        waiting.append(number)
        return reference
    }

    private mutating func value(
        _ index: Int, depth: Int, _ builder: inout KeyedArchiveBuilder
    ) -> PropertyListValue? {
        budget -= 1
        guard depth <= Self.maximumDepth, budget > 0 else { return nil }
        switch archive.list.objects[index] {
        case .boolean(let value): return .boolean(value)
        case .integer(let value): return .integer(value)
        case .largeInteger(let high, let low): return high == 0 ? .unsigned(low) : nil
        case .real(let value): return .real(value)
        case .float(let value): return .float(value)
        case .date(let value): return .date(value)
        case .data(let range): return .data(Array(archive.data(range)))
        case .string(let text): return .string(text)
        case .uid(let number): return copy(of: number, &builder).map { builder.value(of: $0) }
        case .array(let list): return values(list, depth: depth, &builder).map { .array($0) }
        case .set(let list): return values(list, depth: depth, &builder).map { .set($0) }
        case .dictionary(let list): return entries(list, depth: depth, &builder).map { .dictionary($0) }
        case .null: return nil
        }
    }

    private mutating func values(
        _ list: BinaryPropertyList.References, depth: Int, _ builder: inout KeyedArchiveBuilder
    ) -> [PropertyListValue]? {
        var result: [PropertyListValue] = []
        for position in 0..<list.count {
            guard let value = value(archive.list.index(list.start + position), depth: depth + 1, &builder) else {
                return nil
            }
            result.append(value)
        }
        return result
    }

    private mutating func entries(
        _ list: BinaryPropertyList.References, depth: Int, _ builder: inout KeyedArchiveBuilder
    ) -> [PropertyListValue.Entry]? {
        var result: [PropertyListValue.Entry] = []
        for position in 0..<list.count {
            let entry = list.start + position
            guard case .string(let key) = archive.list.objects[archive.list.index(entry)],
                let value = value(archive.list.index(entry + list.count), depth: depth + 1, &builder)
            else { return nil }
            result.append(PropertyListValue.Entry(key, value))
        }
        return result
    }
}
