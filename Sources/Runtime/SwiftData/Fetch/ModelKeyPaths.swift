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
        return leaf(properties.map(\.name).joined(separator: "."), name: last.name, kind: last.access.kind)
    }

    private static func leaf(_ key: String, name: String, kind: PropertyKind?) -> (key: String, isText: Bool)? {
        switch kind {
        case .simple(let simple)?: (key, simple == String.self)
        case .rawEnum(let raw)?: ("\(key).\(name)", raw == String.self)
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
            if path == keyPath { return leaf(key, name: name, kind: element.kind) }
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
        let info = ModelInfo.of(type)
        if let number = info.number(of: keyPath) { return [info.properties[number]] }
        guard let found = recorded(keyPath, type), found.count > 1,
            found.dropLast().allSatisfy({ $0.access.destination != nil })
        else { return nil }
        return found
    }

    /// Returns the properties that a key path reads, if its value is that of the last one.
    static func recorded(_ keyPath: AnyKeyPath, _ type: any PersistentModel.Type) -> [ModelProperty]? {
        func read<T: PersistentModel>(_: T.Type) -> [ModelProperty]? {
            let recorder = PropertyRecorder()
            let model = recorder.model(T.self)
            var value: Any?
            let found = recorder.record { value = model[keyPath: keyPath] }
            // A computed property reads stored ones, too, and has another type or value.
            guard let last = found.last, isSample(value, of: last),
                found.count > 1 || last.valueType == Swift.type(of: keyPath).valueType
            else { return nil }
            return found
        }
        guard Swift.type(of: keyPath).rootType is any PersistentModel.Type else { return nil }
        return read(type)
    }

    /// Returns whether a value is the one that a recording model returns for a property.
    private static func isSample(_ value: Any?, of property: ModelProperty) -> Bool {
        guard case .simple(let type)? = property.access.kind else { return true }
        func check<S: SimpleValue>(_: S.Type) -> Bool { (value.flatMap { unwrapped($0) } as? S) == S.sample }
        return check(type)
    }

    private static func unwrapped(_ value: Any) -> Any? { (value as? any OptionalProperty).map(\.wrapped) ?? value }
}

/// Records which properties of models are read.
final class PropertyRecorder {
    private var properties: [ModelProperty] = []

    /// Returns a model whose reads are recorded.
    func model<T: PersistentModel>(_ type: T.Type) -> T {
        // Making a model reads its constants.
        let before = properties
        defer { properties = before }
        let core = DefaultBackingData<T>(for: type)
        core._core.recorder = self
        return T(backingData: core)
    }

    func record(_ property: ModelProperty) { properties.append(property) }

    func record(_ body: () -> Void) -> [ModelProperty] {
        properties = []
        body()
        return properties
    }
}
