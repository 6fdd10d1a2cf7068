internal import Foundation
@_spi(Reflection) internal import Swift

/// The stored properties of a model class, from its `schemaMetadata`, which is evaluated once in a process.
final class ModelInfo: @unchecked Sendable {
    let type: any PersistentModel.Type
    let entityName: String
    let identifier: ObjectIdentifier
    /// The properties, those of superclasses first, then in declared order.
    let properties: [ModelProperty]
    /// How the properties are read and written, by property number.
    let accesses: ContiguousArray<PropertyAccess>
    /// The number of properties that superclasses declare.
    let inheritedCount: Int
    /// The key paths of the properties with the class itself as root (`\Derived.name`), by property number.
    let keyPaths: [AnyKeyPath]
    private let numbers: [AnyKeyPath: Int]
    /// What key paths lead to that are not those of the declaring classes.
    private var otherPaths: [AnyKeyPath: RecordedPath] = [:]
    let numbersByName: [String: Int]
    /// The properties of constraints and indexes.
    let groups: [any PropertyGroups]
    /// The properties that a superclass declares, too.
    let problems: [SchemaProblem]
    let superclass: ModelInfo?
    /// The properties that are declared with `let`.
    let constantProperties: [ModelProperty]
    /// The offsets of constants that have an initial value.
    let constants: [(number: Int, offset: Int)]

    private init<T: PersistentModel>(_ type: T.Type) {
        self.type = type
        entityName = Schema.entityName(for: type)
        identifier = ObjectIdentifier(type)
        superclass = (_getSuperclass(type) as? any PersistentModel.Type).map(ModelInfo.of)
        var properties = superclass?.properties ?? []
        inheritedCount = properties.count
        var numbersByName = superclass?.numbersByName ?? [:]
        var numbers = superclass?.numbers ?? [:]
        var groups: [any PropertyGroups] = []
        var problems: [SchemaProblem] = []
        for metadata in type.schemaMetadata {
            if let group = metadata.metadata as? any PropertyGroups {
                groups.append(group)
                continue
            }
            // The numbers are those in the code of `@Model`, also of a property whose name a superclass uses.
            let number = properties.count
            numbers[metadata.keypath] = number
            properties.append(ModelProperty(metadata, number: number))
            if let other = numbersByName.updateValue(number, forKey: metadata.name) {
                var owner = superclass
                while let next = owner?.superclass, other < next.properties.count { owner = next }
                problems.append(
                    SchemaProblem(
                        message: "“\(entityName)” and its superclass “\(owner?.entityName ?? entityName)” both declare "
                            + "“\(metadata.name)”: rename one of them"))
            }
        }
        var keyPaths = properties.map(\.keyPath)
        if inheritedCount > 0 {
            for (number, keyPath) in type._inheritableKeyPaths.prefix(inheritedCount).enumerated() {
                keyPaths[number] = keyPath
                numbers[keyPath] = number
            }
        }
        self.keyPaths = keyPaths
        self.properties = properties
        accesses = ContiguousArray(properties.map(\.access))
        self.numbersByName = numbersByName
        self.numbers = numbers
        self.groups = groups
        self.problems = problems
        constantProperties = properties.filter(\.isConstant)
        constants = Self.constants(type, constantProperties)
    }

    private static func constants<T: PersistentModel>(
        _ type: T.Type, _ properties: [ModelProperty]
    ) -> [(number: Int, offset: Int)] {
        guard !properties.isEmpty else { return [] }
        var offsets: [String: Int] = [:]
        _ = _forEachField(of: type, options: _EachFieldOptions(rawValue: 1)) { name, offset, _, _ in
            offsets[String(cString: name)] = offset
            return true
        }
        return properties.compactMap { property in
            offsets[property.name].map { (property.number, $0) }
        }
    }

    // MARK: Looking up

    private static let lock = NSLock()
    nonisolated(unsafe) private static var cache: [ObjectIdentifier: ModelInfo] = [:]

    /// Returns the information about a class.
    static func of(_ type: any PersistentModel.Type) -> ModelInfo {
        let identifier = ObjectIdentifier(type)
        if let info = lock.withLock({ cache[identifier] }) { return info }
        // Initial values may create models themselves, so the lock is not held.
        func make<T: PersistentModel>(_ type: T.Type) -> ModelInfo { ModelInfo(type) }
        let info = make(type)
        return lock.withLock {
            if let other = cache[identifier] { return other }
            cache[identifier] = info
            return info
        }
    }

    /// Returns the number of a property by a key path of its class or of this one.
    func number(ofStored keyPath: AnyKeyPath) -> Int? { numbers[keyPath] }

    /// Returns the number of a property; `nil` for other key paths.
    ///
    /// A key path that names a subclass (`\Derived.name`) or a requirement of a protocol (`\T.name` in a generic
    /// function) differs from that of the declaring class: a model that records which of its properties are read tells
    /// what it leads to.
    func number(of keyPath: AnyKeyPath) -> Int? {
        if let number = numbers[keyPath] { return number }
        let path = path(of: keyPath)
        return path.count == 1 ? path[0].number : nil
    }

    /// Returns the properties of a key path over one or several of them, such as `\Book.author?.name`; empty for other
    /// key paths.
    func path(of keyPath: AnyKeyPath) -> [ModelProperty] {
        if let number = numbers[keyPath] { return [properties[number]] }
        return recordedPath(of: keyPath).properties
    }

    private func recordedPath(of keyPath: AnyKeyPath) -> RecordedPath {
        if let path = Self.lock.withLock({ otherPaths[keyPath] }) { return path }
        let path = ModelKeyPaths.recorded(keyPath, type)
        Self.lock.withLock { otherPaths[keyPath] = path }
        return path
    }

    /// Returns the end of a message about a key path without property: the value that it cannot read; empty if that is
    /// not the reason.
    func obstacle(to keyPath: AnyKeyPath) -> String {
        guard Swift.type(of: keyPath).rootType is any PersistentModel.Type, numbers[keyPath] == nil,
            let property = recordedPath(of: keyPath).obstacle
        else { return "" }
        return ": it reads “\(property.name)”, and only the key path of the property itself can do that, because no "
            + "value of the type \(property.valueType) is known"
    }

    /// Whether the class is a subclass of another.
    func inherits(from other: ModelInfo) -> Bool {
        sequence(first: superclass, next: { $0?.superclass }).prefix { $0 != nil }.contains { $0 === other }
    }

    /// Returns a property. Traps on other key paths.
    func property(_ keyPath: AnyKeyPath) -> ModelProperty {
        guard let number = number(of: keyPath) else {
            fatalError(
                "SwiftData: \(keyPath) is not a persistent property of \(entityName); its properties are "
                    + properties.map(\.name).joined(separator: ", "))
        }
        return properties[number]
    }
}

/// A persistent property of a model class.
final class ModelProperty: @unchecked Sendable {
    let name: String
    let number: Int
    let keyPath: AnyKeyPath
    let defaultValue: Any?
    /// The type of the values, including `Optional`.
    let valueType: any Any.Type
    let metadata: (any SchemaProperty)?
    /// The name of the value transformer of a transformable attribute.
    let transformerName: String?
    /// How values are read and written; the reason if they cannot be stored.
    let access: PropertyAccess
    let problem: SchemaProblem?
    /// Whether the property is declared with `let`.
    let isConstant: Bool

    init(_ metadata: Schema.PropertyMetadata, number: Int) {
        name = metadata.name
        self.number = number
        keyPath = metadata.keypath
        defaultValue = metadata.defaultValue
        valueType = Swift.type(of: metadata.keypath).valueType
        self.metadata = metadata.metadata
        let attribute = metadata.metadata as? Schema.Attribute
        transformerName = attribute?.transformerName
        isConstant = !Self.isWritable(metadata.keypath)
        (access, problem) = PropertyAccess.make(
            valueType, name: metadata.name, number: number, attribute: attribute)
    }

    private static func isWritable(_ keyPath: AnyKeyPath) -> Bool {
        func check<R>(_: R.Type) -> Bool {
            func check<V>(_: V.Type) -> Bool { keyPath is ReferenceWritableKeyPath<R, V> }
            return _openExistential(Swift.type(of: keyPath).valueType, do: check)
        }
        return _openExistential(Swift.type(of: keyPath).rootType, do: check)
    }
}
