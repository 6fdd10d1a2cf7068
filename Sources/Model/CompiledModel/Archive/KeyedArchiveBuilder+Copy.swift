extension KeyedArchive {
    /// Returns an object with everything it refers to as a separate archive; `nil` if it cannot be copied.
    package func archive(of object: ObjectID) -> [UInt8]? {
        var builder = KeyedArchiveBuilder()
        guard let root = builder.add(copyOf: object, from: self) else { return nil }
        return builder.finish(root: root)
    }
}

extension KeyedArchiveBuilder {
    /// The maximum nesting of the property list of one object; Apple's objects are dictionaries of arrays.
    private static let maximumDepth = 8

    /// Copies an object of another archive with everything it refers to, regardless of the classes.
    ///
    /// - Returns: The copy, or `nil` if the object refers to one that does not exist, or is not a value that an archive
    ///   can hold.
    package mutating func add(copyOf object: KeyedArchive.ObjectID, from archive: KeyedArchive) -> Reference? {
        var copies: [Int: Reference] = [:]
        var waiting: [Int] = []
        // Containers can be shared, so that a small file could expand to any size.
        var budget = archive.objectCount * 20 + 1000
        func copy(of number: Int, _ builder: inout KeyedArchiveBuilder) -> Reference? {
            if number == 0 { return .null }
            guard number < archive.objectCount else { return nil }
            if let reference = copies[number] { return reference }
            let reference = builder.announce()
            copies[number] = reference
            waiting.append(number)
            return reference
        }
        func value(
            _ index: Int, depth: Int, _ builder: inout KeyedArchiveBuilder
        ) -> PropertyListValue? {
            budget -= 1
            guard depth <= Self.maximumDepth, budget > 0 else { return nil }
            func values(_ list: BinaryPropertyList.References) -> [PropertyListValue]? {
                var result: [PropertyListValue] = []
                for position in 0..<list.count {
                    guard let value = value(archive.list.index(list.start + position), depth: depth + 1, &builder)
                    else { return nil }
                    result.append(value)
                }
                return result
            }
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
            case .array(let list): return values(list).map { .array($0) }
            case .set(let list): return values(list).map { .set($0) }
            case .dictionary(let list):
                var entries: [PropertyListValue.Entry] = []
                for position in 0..<list.count {
                    let entry = list.start + position
                    guard case .string(let key) = archive.list.objects[archive.list.index(entry)],
                        let value = value(archive.list.index(entry + list.count), depth: depth + 1, &builder)
                    else { return nil }
                    entries.append(PropertyListValue.Entry(key, value))
                }
                return .dictionary(entries)
            case .null: return nil
            }
        }
        guard let root = copy(of: object.number, &self) else { return nil }
        while let number = waiting.popLast() {
            guard let reference = copies[number],
                let value = value(archive.listIndex(of: KeyedArchive.ObjectID(number: number)), depth: 0, &self)
            else { return nil }
            define(reference, as: value)
        }
        return root
    }
}
