/// Writes a keyed archive (`NSKeyedArchiver`) object by object (Documentation/Formats/CompiledModel.md, 1). The same
/// calls always produce the same bytes.
package struct KeyedArchiveBuilder {
    /// A reference to an object of the archive.
    package struct Reference: Hashable {
        fileprivate let number: Int

        /// The reference to `$null`.
        package static let null = Reference(number: 0)
    }

    /// The value of an object's key. A key that is left out is absent, which is distinct from null.
    package enum Value {
        /// A reference to an object.
        case reference(Reference)
        /// A Boolean in the object itself.
        case boolean(Bool)
        /// An integer in the object itself.
        case integer(Int)
        /// A real number in the object itself.
        case real(Double)
        /// Bytes in the object itself.
        case data([UInt8])
        /// A text in the object itself.
        case text(String)
        /// A list of references in the object itself.
        case references([Reference])
    }

    var list = BinaryPropertyListBuilder()
    /// The indices of the objects in the property list; `nil` for one that is announced but not yet written.
    private var objects: [Int?]
    private var classes: [ArchivedClass: Reference] = [:]
    private var plainObjects: [Int: Reference] = [:]

    package init() {
        objects = [list.add("$null")]
    }

    /// Reserves a reference to an object, so that others can refer to it before it is written.
    package mutating func announce() -> Reference {
        objects.append(nil)
        return Reference(number: objects.count - 1)
    }

    /// Writes an announced object.
    package mutating func define(
        _ reference: Reference, archivedClass: ArchivedClass, values: [(ArchiveKey, Value)]
    ) {
        var keys = [list.add(ArchiveKey.class.rawValue)]
        var members = [list.add(uid: self.reference(to: archivedClass).number)]
        for (key, value) in values {
            keys.append(list.add(key.rawValue))
            members.append(add(value))
        }
        objects[reference.number] = list.addDictionary(keys: keys, values: members)
    }

    /// Writes an announced object as a value of the property list.
    mutating func define(_ reference: Reference, as value: PropertyListValue) {
        objects[reference.number] = list.add(value)
    }

    func value(of reference: Reference) -> PropertyListValue { .uid(reference.number) }

    /// Writes an object.
    package mutating func add(_ archivedClass: ArchivedClass, _ values: [(ArchiveKey, Value)]) -> Reference {
        let reference = announce()
        define(reference, archivedClass: archivedClass, values: values)
        return reference
    }

    /// Adds a string object, shared by equal strings.
    package mutating func add(_ text: String) -> Reference { plain(list.add(text)) }

    /// Adds a string object, or null.
    package mutating func add(_ text: String?) -> Reference {
        guard let text else { return .null }
        return add(text)
    }

    /// Adds a Boolean object.
    package mutating func add(_ value: Bool) -> Reference { plain(list.add(value)) }

    /// Adds an integer object.
    package mutating func add(_ value: Int64) -> Reference { plain(list.add(value)) }

    /// Adds a 64-bit real object.
    package mutating func add(_ value: Double) -> Reference { plain(list.add(value)) }

    /// Adds a 32-bit real object.
    package mutating func add(_ value: Float) -> Reference { plain(list.add(value)) }

    /// Adds bytes as a separate object.
    package mutating func add(_ bytes: [UInt8]) -> Reference { plain(list.add(bytes)) }

    /// Adds an array or a set.
    package mutating func add(_ archivedClass: ArchivedClass, elements: [Reference]) -> Reference {
        add(archivedClass, [(.listObjects, .references(elements))])
    }

    /// Adds an array or a set of strings.
    package mutating func add(_ archivedClass: ArchivedClass, texts: [String]) -> Reference {
        add(archivedClass, elements: texts.map { add($0) })
    }

    /// Adds a dictionary. Of several entries with the same key, the first is used.
    package mutating func add(_ archivedClass: ArchivedClass, entries: [(key: String, value: Reference)]) -> Reference {
        var seen: Set<String> = []
        let unique = entries.filter { seen.insert($0.key).inserted }
        return add(
            archivedClass,
            [
                (.dictionaryKeys, .references(unique.map { add($0.key) })),
                (.listObjects, .references(unique.map(\.value))),
            ])
    }

    /// Writes the archive.
    package consuming func finish(root: Reference) -> [UInt8] {
        let null = objects[0] ?? 0
        let table = list.addArray(objects.map { $0 ?? null })
        let keys = [ArchiveKey.version, .archiver, .top, .objects].map { list.add($0.rawValue) }
        let top = list.addDictionary(
            keys: [list.add(ArchiveKey.root.rawValue)], values: [list.add(uid: root.number)])
        let values = [list.add(Int64(100_000)), list.add("NSKeyedArchiver"), top, table]
        let archive = list.addDictionary(keys: keys, values: values)
        return list.finish(root: archive)
    }

    private mutating func add(_ value: Value) -> Int {
        switch value {
        case .reference(let reference): return list.add(uid: reference.number)
        case .boolean(let value): return list.add(value)
        case .integer(let value): return list.add(Int64(value))
        case .real(let value): return list.add(value)
        case .data(let bytes): return list.add(bytes)
        case .text(let text): return list.add(text)
        case .references(let references): return list.addArray(references.map { list.add(uid: $0.number) })
        }
    }

    private mutating func plain(_ index: Int) -> Reference {
        if let reference = plainObjects[index] { return reference }
        let reference = announce()
        objects[reference.number] = index
        plainObjects[index] = reference
        return reference
    }

    private mutating func reference(to archivedClass: ArchivedClass) -> Reference {
        if let reference = classes[archivedClass] { return reference }
        let names = list.addArray(archivedClass.lineage.map { list.add($0) })
        let keys = [list.add(ArchiveKey.className.rawValue), list.add(ArchiveKey.classNames.rawValue)]
        let reference = announce()
        objects[reference.number] = list.addDictionary(keys: keys, values: [list.add(archivedClass.rawValue), names])
        classes[archivedClass] = reference
        return reference
    }
}
