/// Reads values of expected types from an archive, and reports values of other types.
package struct ArchiveReader {
    package typealias ObjectID = KeyedArchive.ObjectID

    package let archive: KeyedArchive
    package var reporter = DecodingReporter()
    /// The number of container elements that may still be read. Containers can be shared, so that a small file could
    /// expand to any size; Apple's files share only small ones.
    private var budget: Int

    package init(_ archive: KeyedArchive) {
        self.archive = archive
        budget = archive.objectCount * 20 + 1000
    }

    /// Returns the object's name in messages.
    package func describe(_ object: ObjectID) -> String {
        guard let name = archive.classInfo(of: object)?.name else { return "object \(object.number)" }
        return "object \(object.number) (\(name))"
    }

    /// Reports a key whose value has the wrong type.
    package mutating func wrong(_ key: ArchiveKey, of object: ObjectID, expected: String) {
        reporter.malformed("\(describe(object)): \(key.rawValue) is not \(expected)")
    }

    /// Returns the object under a key; `nil` if the key is null or absent. Anything else is reported.
    package mutating func object(_ key: ArchiveKey, of object: ObjectID) -> ObjectID? {
        switch archive.value(key, of: object) {
        case .absent, .null: return nil
        case .object(let other): return other
        case .dangling(let number):
            reporter.malformed(
                "\(describe(object)): \(key.rawValue) refers to object \(number) of \(archive.objectCount)")
            return nil
        case .inline:
            wrong(key, of: object, expected: "a reference")
            return nil
        }
    }

    /// Returns the text under a key, plain or an `NSString`; `nil` if the key is null or absent.
    package mutating func string(_ key: ArchiveKey, of object: ObjectID) -> String? {
        if case .inline(.string(let text)) = archive.value(key, of: object) { return text }
        guard let other = self.object(key, of: object) else { return nil }
        guard let text = string(other) else {
            wrong(key, of: object, expected: "a string")
            return nil
        }
        return text
    }

    /// Returns the seconds since 2001-01-01 00:00 UTC of a date; `nil` for any other object.
    package mutating func date(_ object: ObjectID) -> Double? {
        if case .date(let seconds) = archive.plist(object) { return seconds }
        return archive.recognizedClass(of: object) == .date ? real(.time, of: object) : nil
    }

    /// Returns the text of an object, or `nil` if it is not a string.
    package func string(_ object: ObjectID) -> String? {
        switch archive.plist(object) {
        case .string(let text): return text
        case .dictionary:
            guard let archivedClass = archive.recognizedClass(of: object),
                archivedClass == .mutableString || archivedClass == .string
            else {
                return nil
            }
            if case .inline(.string(let text)) = archive.value(.text, of: object) { return text }
            return nil
        default: return nil
        }
    }

    /// Returns the bytes under a key, plain or an `NSData`; `nil` if the key is null or absent.
    package mutating func data(_ key: ArchiveKey, of object: ObjectID) -> ArraySlice<UInt8>? {
        switch archive.value(key, of: object) {
        case .inline(.data(let range)): return archive.data(range)
        case .object(let other):
            if case .data(let range) = archive.plist(other) { return archive.data(range) }
            if case .inline(.data(let range)) = archive.value(.bytes, of: other) { return archive.data(range) }
            wrong(key, of: object, expected: "data")
            return nil
        case .absent, .null: return nil
        case .dangling, .inline:
            wrong(key, of: object, expected: "data")
            return nil
        }
    }

    /// Returns the integer under a key, inline or by reference; `nil` if the key is null or absent.
    package mutating func integer(_ key: ArchiveKey, of object: ObjectID) -> Int? {
        guard let number = plain(key, of: object) else { return nil }
        switch number {
        case .integer(let value): return Int(value)
        case .boolean(let value): return value ? 1 : 0
        // NSUIntegerMax, "no limit" in programmatic models.
        case .largeInteger(high: 0, low: let value): return Int(truncatingIfNeeded: value)
        default:
            wrong(key, of: object, expected: "a whole number")
            return nil
        }
    }

    /// Returns the number under a key as a real number; `nil` if the key is null or absent.
    package mutating func real(_ key: ArchiveKey, of object: ObjectID) -> Double? {
        guard let number = plain(key, of: object) else { return nil }
        switch number {
        case .real(let value): return value
        case .float(let value): return Double(value)
        case .integer(let value): return Double(value)
        default:
            wrong(key, of: object, expected: "a number")
            return nil
        }
    }

    /// Returns the Boolean under a key; false if the key is null or absent.
    package mutating func flag(_ key: ArchiveKey, of object: ObjectID) -> Bool {
        guard let value = plain(key, of: object) else { return false }
        switch value {
        case .boolean(let flag): return flag
        case .integer(let number): return number != 0
        default:
            wrong(key, of: object, expected: "a truth value")
            return false
        }
    }

    private mutating func plain(_ key: ArchiveKey, of object: ObjectID) -> BinaryPropertyList.Object? {
        if case .inline(let value) = archive.value(key, of: object) { return value }
        return self.object(key, of: object).map { archive.plist($0) }
    }

    /// Returns the elements of the array or set under a key; `nil` if the key is null or absent.
    package mutating func list(_ key: ArchiveKey, of object: ObjectID) -> [ObjectID]? {
        guard let container = self.object(key, of: object) else { return nil }
        guard let elements = elements(of: container) else {
            wrong(key, of: object, expected: "a list")
            return nil
        }
        return elements
    }

    /// Returns the elements of an array or a set; `nil` if the object is neither.
    package mutating func elements(of container: ObjectID) -> [ObjectID]? {
        switch archive.recognizedClass(of: container) {
        case .array, .mutableArray, .set, .mutableSet: elements(.listObjects, of: container)
        default: nil
        }
    }

    /// Returns the strings in the array or set under a key; `nil` if the key is null or absent.
    package mutating func strings(_ key: ArchiveKey, of object: ObjectID) -> [String]? {
        guard let elements = list(key, of: object) else { return nil }
        let strings = elements.compactMap { string($0) }
        if strings.count < elements.count { wrong(key, of: object, expected: "a list of strings") }
        return strings
    }

    /// Returns the keys and values of the dictionary under a key, in the order of the archive; `nil` if the key is null
    /// or absent. Dictionaries of models that stores hold have their keys in a separate object, and may have empty
    /// slots.
    package mutating func dictionary(_ key: ArchiveKey, of object: ObjectID) -> [(key: String, value: ObjectID)]? {
        guard let container = self.object(key, of: object) else { return nil }
        switch archive.recognizedClass(of: container) {
        case .dictionary, .mutableDictionary, .knownKeysDictionary: return entries(of: container)
        default:
            wrong(key, of: object, expected: "a dictionary")
            return nil
        }
    }

    /// Returns the keys and values of a dictionary, in the order of the archive; `nil` if the object is not a
    /// dictionary.
    package mutating func entries(of container: ObjectID) -> [(key: String, value: ObjectID)]? {
        let keys: [ObjectID]
        let values: [ObjectID]
        switch archive.recognizedClass(of: container) {
        case .dictionary, .mutableDictionary:
            keys = elements(.dictionaryKeys, of: container)
            values = elements(.listObjects, of: container)
        case .knownKeysDictionary:
            guard let mapping = self.object(.knownMapping, of: container) else { return nil }
            keys = list(.knownKeys, of: mapping) ?? []
            values = list(.knownValues, of: container) ?? []
        default: return nil
        }
        guard keys.count == values.count else {
            reporter.malformed("\(describe(container)) has \(keys.count) keys and \(values.count) values")
            return nil
        }
        var empty: ObjectID?
        if archive.recognizedClass(of: container) == .knownKeysDictionary {
            empty = self.object(.knownEmptyToken, of: container)
        }
        var entries: [(key: String, value: ObjectID)] = []
        entries.reserveCapacity(keys.count)
        for (keyObject, value) in zip(keys, values) where value != empty {
            guard let text = string(keyObject) else {
                reporter.malformed("\(describe(container)) has a key that is not a string")
                continue
            }
            entries.append((text, value))
        }
        return entries
    }

    /// Returns the objects in the inline array of a container.
    private mutating func elements(_ key: ArchiveKey, of container: ObjectID) -> [ObjectID] {
        guard case .inline(.array(let array)) = archive.value(key, of: container) else {
            wrong(key, of: container, expected: "an array")
            return []
        }
        budget -= array.count
        guard budget >= 0 else {
            reporter.malformed("\(describe(container)) is shared so often that the archive has no reasonable size")
            return []
        }
        var objects: [ObjectID] = []
        objects.reserveCapacity(array.count)
        for element in archive.elements(array) {
            if case .object(let object) = element {
                objects.append(object)
            } else {
                wrong(key, of: container, expected: "an array of references")
            }
        }
        return objects
    }

    /// Reports the keys of an object that this library does not recognize, once for each class.
    package mutating func reportUnknownKeys(of object: ObjectID) {
        for key in archive.unknownKeys(of: object) {
            reporter.unknown("\(archive.classInfo(of: object)?.name ?? "an object") has the unknown key \(key)")
        }
    }
}
