internal import CoreData
internal import Foundation
@_spi(Reflection) internal import Swift

/// The meaning of key paths and constants in predicates over models.
struct ModelPredicateResolver: PredicateResolver {
    let context: ModelContext

    /// Returns the equivalent of a predicate.
    ///
    /// - Throws: `SwiftDataError.unsupportedPredicate` or `.unsupportedKeyPath` with the reason.
    static func translate<T: PersistentModel>(_ predicate: Predicate<T>, _ context: ModelContext) throws -> NSPredicate
    {
        do {
            return try ResolvedPredicate.make(predicate, resolver: ModelPredicateResolver(context: context))
        } catch let error as UnsupportedPredicate {
            throw SwiftDataError(error.isKeyPath ? .unsupportedKeyPath : .unsupportedPredicate, error.reason)
        }
    }

    // MARK: Key paths

    func property(of keyPath: AnyKeyPath) throws -> ResolvedKeyPath {
        let root = Swift.type(of: keyPath).rootType
        if let model = root as? any PersistentModel.Type { return try property(keyPath, of: model) }
        if let raw = root as? any RawRepresentable.Type, Self.isRawValue(keyPath, of: raw) { return .operand }
        if let name = Self.field(of: keyPath) {
            let kind = try? PropertyKind.of(PropertyKind.unwrapped(Swift.type(of: keyPath).valueType).type)
            return try Self.resolved(name, kind, of: root)
        }
        throw UnsupportedPredicate("\(keyPath) is not a persistent property", isKeyPath: true)
    }

    private func property(_ keyPath: AnyKeyPath, of type: any PersistentModel.Type) throws -> ResolvedKeyPath {
        if Self.isStatedIdentifier(keyPath, of: type) { return .operand }
        if let property = lookUp(keyPath, of: type) {
            return try Self.resolved(property.name, property.access.kind, of: type)
        }
        if Self.isRecordedIdentifier(keyPath, of: type) { return .operand }
        throw UnsupportedPredicate(
            "\(keyPath) is not a persistent property of \(type)\(ModelInfo.of(type).obstacle(to: keyPath))",
            isKeyPath: true)
    }

    /// Returns what the name of a property of a model or structure stands for.
    private static func resolved(
        _ name: String, _ kind: PropertyKind?, of owner: any Any.Type
    ) throws -> ResolvedKeyPath {
        switch kind {
        case .rawEnum: return .keys("\(name).\(name)")
        case .caseEnum(let names): return .element(of: name, names: names)
        case .array, .provisional, .json:
            throw UnsupportedPredicate(
                "“\(name)” of \(owner) is stored as one opaque value; fetch the models and filter them in memory")
        default: return .keys(name)
        }
    }

    /// Returns a property by a key path of its class, a superclass, or another version of the class.
    private func lookUp(_ keyPath: AnyKeyPath, of type: any PersistentModel.Type) -> ModelProperty? {
        let info = ModelInfo.of(type)
        return info.number(of: keyPath).map { info.properties[$0] }
    }

    /// Whether a key path is that of the identifier of the model itself.
    private static func isStatedIdentifier(_ keyPath: AnyKeyPath, of type: any PersistentModel.Type) -> Bool {
        func check<T: PersistentModel>(_: T.Type) -> Bool {
            // Without the type, `\T.id` would be the requirement of `Identifiable`.
            keyPath == \T.persistentModelID || keyPath == (\T.id as KeyPath<T, PersistentIdentifier>)
        }
        return Swift.type(of: keyPath).valueType == PersistentIdentifier.self && check(type)
    }

    /// Whether a key path is that of `id` of the model itself, as a requirement of a protocol.
    private static func isRecordedIdentifier(_ keyPath: AnyKeyPath, of type: any PersistentModel.Type) -> Bool {
        func check<T: PersistentModel>(_: T.Type) -> Bool {
            let recorder = PropertyRecorder(round: 0)
            guard let model = recorder.model(T.self) else { return false }
            let identifier = PersistentIdentifier(unattached: Schema.entityName(for: T.self))
            model.core.unattached = identifier
            var value: Any?
            let record = recorder.record(T.self) { value = model[keyPath: keyPath] }
            return record?.properties.isEmpty == true && value as? PersistentIdentifier == identifier
        }
        return Swift.type(of: keyPath).valueType == PersistentIdentifier.self && check(type)
    }

    /// Whether a key path leads to the raw value, also as a requirement of a protocol.
    private static func isRawValue(_ keyPath: AnyKeyPath, of type: any RawRepresentable.Type) -> Bool {
        func check<R: RawRepresentable>(_: R.Type) -> Bool {
            if keyPath == \R.rawValue { return true }
            guard Swift.type(of: keyPath).valueType == R.RawValue.self, let values = EnumCases.allValues(of: R.self)
            else { return false }
            return values.allSatisfy { SampleComparison.isSame($0[keyPath: keyPath], $0.rawValue) }
        }
        return check(type)
    }

    /// Returns the name of the stored property of a structure that a key path leads to.
    private static func field(of keyPath: AnyKeyPath) -> String? {
        func offset<R>(_: R.Type) -> Int? { (keyPath as? PartialKeyPath<R>).flatMap { MemoryLayout<R>.offset(of: $0) } }
        let root = Swift.type(of: keyPath).rootType
        guard let offset = _openExistential(root, do: offset) else { return nil }
        var found: String?
        _ = _forEachField(of: root) { name, location, type, _ in
            guard location == offset, type == Swift.type(of: keyPath).valueType else { return true }
            found = String(cString: name)
            return false
        }
        return found
    }

    // MARK: Constants

    func constant(_ value: Any) throws -> Any {
        switch value {
        case let identifier as PersistentIdentifier: return context.constant(for: identifier)
        case let model as any PersistentModel: return context.constant(for: model)
        case let number as any SimpleInteger where Int64(exactly: number) == nil:
            throw UnsupportedPredicate(
                "\(number) exceeds Int64.max, and stores compare numbers of 64 bits as signed ones; filter the models in memory"
            )
        case is any SimpleValue: return value
        case let list as [Any]: return try list.map { try element($0) }
        case let set as Set<AnyHashable>: return try set.map { try element($0.base) }
        default: break
        }
        // Foundation makes an object of any value that is cast to one.
        if Swift.type(of: value) is NSObject.Type { return value }
        if let raw = value as? any RawRepresentable, raw.rawValue is any SimpleValue { return raw.rawValue }
        if EnumCases(Swift.type(of: value)) != nil, let coded = value as? any Encodable,
            case .caseEnum(let names)? = try? PropertyKind.of(Swift.type(of: value)),
            let name = EnumCases.name(of: coded, names)
        {
            return name
        }
        if value is any BinaryInteger || value is any BinaryFloatingPoint || value is Substring || value is Character {
            return value
        }
        throw UnsupportedPredicate("captured values of the type \(Swift.type(of: value)) are not supported")
    }

    private func element(_ value: Any) throws -> Any {
        let unwrapped = (value as? any OptionalProperty).map(\.wrapped) ?? value
        return try unwrapped.map(constant) ?? NSNull()
    }

    func entityNames(of type: any Any.Type) -> [String]? {
        guard let model = type as? any PersistentModel.Type else { return nil }
        let info = ModelInfo.of(model)
        return context.core.schema.entitiesByName[info.entityName]?.hierarchyNames
    }
}
