internal import Foundation
@_spi(Reflection) internal import Swift

/// The dotted key paths of Swift key paths over several properties, such as `\Book.author?.name`.
///
/// A key path over several properties cannot be taken apart, so a model that records which of its properties are read
/// is used.
enum ModelKeyPaths {
    /// Returns the key path of an attribute that stores can sort by.
    static func attribute(_ keyPath: AnyKeyPath, of type: any PersistentModel.Type) -> (key: String, isText: Bool)? {
        if let part = part(keyPath, of: ModelInfo.of(type)) { return part }
        guard let properties = properties(along: keyPath, type), let last = properties.last else { return nil }
        return leaf(
            properties.map(\.name).joined(separator: "."), name: last.name, kind: last.access.kind,
            type: last.valueType)
    }

    private static func leaf(
        _ key: String, name: String, kind: PropertyKind?, type: any Any.Type
    ) -> (key: String, isText: Bool)? {
        switch kind {
        case .simple(let simple)?: (key, simple == String.self)
        case .rawEnum?: EnumOrder(PropertyKind.unwrapped(type).type).map { ("\(key).\(name)", $0 == .localized) }
        default: nil
        }
    }

    /// Returns the key path of a part of a structure, such as `\Book.size.width`.
    private static func part(_ keyPath: AnyKeyPath, of info: ModelInfo) -> (key: String, isText: Bool)? {
        guard info.number(ofStored: keyPath) == nil else { return nil }
        for (property, base) in zip(info.properties, info.keyPaths) {
            guard case .structure(let elements)? = property.access.kind else { continue }
            let found = part(keyPath, of: elements, type: property.valueType, base: base, prefix: property.name)
            if let found { return found }
        }
        return nil
    }

    /// Returns the key path of a part of a structure to which another key path leads.
    private static func part(
        _ keyPath: AnyKeyPath, of elements: [PropertyKind.Element], type: any Any.Type, base: AnyKeyPath,
        prefix: String
    ) -> (key: String, isText: Bool)? {
        for (name, field) in fields(of: type) {
            guard let element = elements.first(where: { $0.name == name }), let path = base.appending(path: field)
            else { continue }
            let key = "\(prefix).\(name)"
            if path == keyPath { return leaf(key, name: name, kind: element.kind, type: element.type) }
            guard case .structure(let inner) = element.kind else { continue }
            let found = part(keyPath, of: inner, type: element.type, base: path, prefix: key)
            if let found { return found }
        }
        return nil
    }

    /// Returns the stored properties of a structure.
    private static func fields(of type: any Any.Type) -> [(name: String, keyPath: AnyKeyPath)] {
        func read<S>(_: S.Type) -> [(name: String, keyPath: AnyKeyPath)] {
            var found: [(String, AnyKeyPath)] = []
            _ = _forEachFieldWithKeyPath(of: S.self) { name, keyPath in
                found.append((String(cString: name), keyPath))
                return true
            }
            return found
        }
        return _openExistential(type, do: read)
    }

    /// Returns the key path of a relationship or attribute.
    static func key(_ keyPath: AnyKeyPath, of type: any PersistentModel.Type) -> String? {
        properties(along: keyPath, type)?.map(\.name).joined(separator: ".")
    }

    private static func properties(
        along keyPath: AnyKeyPath, _ type: any PersistentModel.Type
    ) -> [ModelProperty]? {
        let found = ModelInfo.of(type).path(of: keyPath)
        guard !found.isEmpty, found.dropLast().allSatisfy({ $0.access.destination != nil }) else { return nil }
        return found
    }

    /// Returns the properties that a key path reads, one for each of its components, if its value is always that of the
    /// last one.
    ///
    /// A computed property reads stored ones, too, so the key path is read on several models with opposite values. The
    /// first that gives another value or reads other properties is the last one: the code of a computed property may
    /// trap on values that it does not expect.
    static func recorded(_ keyPath: AnyKeyPath, _ type: any PersistentModel.Type) -> RecordedPath {
        func read<T: PersistentModel>(_: T.Type) -> RecordedPath {
            var path: [ModelProperty] = []
            for round in PropertyRecorder.rounds {
                let recorder = PropertyRecorder(round: round)
                guard let model = recorder.model(T.self) else { return RecordedPath() }
                var value: Any?
                let record = recorder.record(T.self) { value = model[keyPath: keyPath] }
                guard let (found, sample) = record else { return RecordedPath(obstacle: recorder.obstacle) }
                guard let last = found.last, SampleComparison.isSame(value, sample) else { return RecordedPath() }
                guard path.isEmpty else {
                    guard path.elementsEqual(found, by: ===) else { return RecordedPath() }
                    continue
                }
                guard found.count == componentCount(of: keyPath),
                    found.count > 1 || last.valueType == Swift.type(of: keyPath).valueType
                else { return RecordedPath() }
                path = found
            }
            return RecordedPath(properties: path)
        }
        guard Swift.type(of: keyPath).rootType is any PersistentModel.Type else { return RecordedPath() }
        return read(type)
    }

    /// Returns the number of properties in a key path. Its description has a part for each,
    /// `\Book.<computed 0x… (Optional<Author>)>?.<computed 0x… (String)>?`.
    private static func componentCount(of keyPath: AnyKeyPath) -> Int {
        var depth = 0
        var count = 0
        for character in "\(keyPath)" {
            switch character {
            case "<", "(": depth += 1
            case ">", ")": depth -= 1
            case "." where depth == 0: count += 1
            default: break
            }
        }
        return count
    }
}

/// The properties that a key path leads through.
struct RecordedPath {
    /// The properties; empty for key paths that lead to none.
    var properties: [ModelProperty] = []
    /// The property that the key path reads and that has no sample, so that what follows it is unknown.
    var obstacle: ModelProperty?
}
