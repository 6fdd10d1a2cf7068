internal import Foundation

/// The dotted key paths of Swift key paths over several properties, such as `\Book.author?.name`.
///
/// A key path over several properties cannot be taken apart, so a model that records which of its properties are read
/// is used.
enum ModelKeyPaths {
    /// Returns the key path of an attribute that stores can sort by.
    static func attribute(_ keyPath: AnyKeyPath, of type: any PersistentModel.Type) -> (key: String, isText: Bool)? {
        guard let properties = properties(along: keyPath, type), let last = properties.last else { return nil }
        let prefix = properties.map(\.name).joined(separator: ".")
        switch last.access.kind {
        case .simple(let simple)?: return (prefix, simple == String.self)
        case .rawEnum(let raw)?: return ("\(prefix).\(last.name)", raw == String.self)
        default: return nil
        }
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
