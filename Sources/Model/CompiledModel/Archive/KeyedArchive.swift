/// A keyed archive (`NSKeyedArchiver`) as in its property list: objects by number, values by key
/// (Documentation/Formats/CompiledModel.md, 1). Nothing is unarchived; references stay numbers, so that reference
/// cycles do no harm.
package struct KeyedArchive {
    /// An object's index in `$objects`, which is always valid.
    package struct ObjectID: Hashable {
        package let number: Int
    }

    /// The value of an object's key. Null and absent are distinct.
    package enum Value {
        /// The object does not have the key.
        case absent
        /// A reference to `$null`.
        case null
        /// A reference to another object.
        case object(ObjectID)
        /// A value in the object's own dictionary.
        case inline(BinaryPropertyList.Object)
        /// A reference to an object that does not exist.
        case dangling(Int)
    }

    /// A class that an archive mentions.
    package struct ClassInfo {
        package var name: String
        /// The class itself, or the nearest superclass that this library recognizes.
        package var recognized: ArchivedClass?
    }

    package let root: ObjectID

    let list: BinaryPropertyList
    private let objects: BinaryPropertyList.References
    /// The key that each object of the property list names, or `nil` if it is not the name of a key.
    private let keys: [ArchiveKey?]
    /// The class of each object in `$objects`, as an index into `classes`, or -1.
    private var classIndexes: [Int32]
    private var classes: [ClassInfo] = []

    /// Reads an archive.
    package init(_ bytes: [UInt8]) throws(ModelArchiveError) {
        let list: BinaryPropertyList
        do { list = try BinaryPropertyList(bytes) } catch { throw ModelArchiveError(error) }
        let keys = list.objects.map { object -> ArchiveKey? in
            if case .string(let text) = object { ArchiveKey.byName[text] } else { nil }
        }
        guard case .dictionary(let container) = list.objects[list.rootIndex],
            let archiver = Self.find(.archiver, in: container, list: list, keys: keys),
            case .string(let archiverName) = list.objects[archiver]
        else { throw ModelArchiveError(.notAnArchive, "this is a property list, but no keyed archive") }
        guard archiverName == "NSKeyedArchiver" else {
            throw ModelArchiveError(.notAnArchive, "the archive was made by “\(archiverName)”, not by NSKeyedArchiver")
        }
        guard let table = Self.find(.objects, in: container, list: list, keys: keys),
            case .array(let objects) = list.objects[table]
        else { throw ModelArchiveError(.notAnArchive, "the archive has no list of objects ($objects)") }
        guard let top = Self.find(.top, in: container, list: list, keys: keys),
            case .dictionary(let roots) = list.objects[top],
            let reference = Self.find(.root, in: roots, list: list, keys: keys),
            case .uid(let root) = list.objects[reference],
            root < objects.count
        else { throw ModelArchiveError(.notAnArchive, "the archive has no root object ($top, root)") }
        self.list = list
        self.keys = keys
        self.objects = objects
        self.root = ObjectID(number: root)
        classIndexes = []
        findClasses()
    }

    /// The number of objects in the archive.
    package var objectCount: Int { objects.count }

    /// Returns the value of an object's key; `absent` if the object is a plain value.
    package func value(_ key: ArchiveKey, of object: ObjectID) -> Value {
        guard case .dictionary(let container) = plist(object),
            let index = Self.find(key, in: container, list: list, keys: keys)
        else { return .absent }
        return resolve(index)
    }

    /// Returns the object as in the property list: a string, a number, or the dictionary of an object.
    package func plist(_ object: ObjectID) -> BinaryPropertyList.Object { list.objects[listIndex(of: object)] }

    /// Returns the index of an object in the property list.
    func listIndex(of object: ObjectID) -> Int { list.index(objects.start + object.number) }

    /// Returns the bytes of an inline data value.
    package func data(_ range: Range<Int>) -> ArraySlice<UInt8> { list.data(range) }

    /// Returns the values that the elements of an inline array refer to.
    func elements(_ array: BinaryPropertyList.References) -> [Value] { list.indexes(array).map { resolve(Int($0)) } }

    /// Returns the class of an object; `nil` for plain values.
    package func classInfo(of object: ObjectID) -> ClassInfo? {
        let index = classIndexes[object.number]
        return index < 0 ? nil : classes[Int(index)]
    }

    /// Returns the class of an object, or the nearest superclass that this library recognizes.
    package func recognizedClass(of object: ObjectID) -> ArchivedClass? { classInfo(of: object)?.recognized }

    /// Returns the names of an object's keys that this library does not recognize.
    func unknownKeys(of object: ObjectID) -> [String] {
        guard case .dictionary(let container) = plist(object) else { return [] }
        return list.indexes(container).prefix(container.count).compactMap { index in
            guard keys[Int(index)] == nil, case .string(let name) = list.objects[Int(index)] else { return nil }
            return name
        }
    }

    /// Returns the references of an object under keys that this library does not recognize.
    func unknownReferences(of object: ObjectID) -> [ObjectID] {
        guard case .dictionary(let container) = plist(object) else { return [] }
        return (0..<container.count).compactMap { position in
            guard keys[list.index(container.start + position)] != .class,
                case .object(let other) = resolve(list.index(container.start + container.count + position))
            else { return nil }
            return other
        }
    }

    private func resolve(_ index: Int) -> Value {
        guard case .uid(let number) = list.objects[index] else { return .inline(list.objects[index]) }
        if number == 0 { return .null }
        return number < objects.count ? .object(ObjectID(number: number)) : .dangling(number)
    }

    private mutating func findClasses() {
        classIndexes = Array(repeating: -1, count: objects.count)
        var indexByClassObject: [Int: Int32] = [:]
        for number in 0..<objects.count {
            guard case .object(let classObject) = value(.class, of: ObjectID(number: number)) else { continue }
            if let index = indexByClassObject[classObject.number] {
                classIndexes[number] = index
            } else if let info = readClass(classObject) {
                classes.append(info)
                let index = Int32(classes.count - 1)
                indexByClassObject[classObject.number] = index
                classIndexes[number] = index
            }
        }
    }

    private func readClass(_ object: ObjectID) -> ClassInfo? {
        guard case .inline(.string(let name)) = value(.className, of: object) else { return nil }
        if let recognized = ArchivedClass.byName[name] { return ClassInfo(name: name, recognized: recognized) }
        guard case .inline(.array(let names)) = value(.classNames, of: object) else { return ClassInfo(name: name) }
        // Limited, since many classes could share one long list; no class of Apple's has this many ancestors.
        for index in list.indexes(names).prefix(16) {
            guard case .string(let ancestor) = list.objects[Int(index)] else { continue }
            if let recognized = ArchivedClass.byName[ancestor] { return ClassInfo(name: name, recognized: recognized) }
        }
        return ClassInfo(name: name)
    }

    private static func find(
        _ key: ArchiveKey, in container: BinaryPropertyList.References, list: BinaryPropertyList,
        keys: [ArchiveKey?]
    ) -> Int? {
        for position in container.start..<container.start + container.count where keys[list.index(position)] == key {
            return list.index(position + container.count)
        }
        return nil
    }
}
