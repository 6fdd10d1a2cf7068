import CompiledModel

/// A writer of valid and invalid keyed archives that is independent of the encoder.
struct ArchiveFixture {
    var objects: [PropertyListValue] = [.string("$null")]
    private var classes: [String: PropertyListValue] = [:]

    /// A reference to the null object.
    static let null = PropertyListValue.uid(0)

    /// Adds a separate object and returns the reference to it.
    mutating func add(_ value: PropertyListValue) -> PropertyListValue {
        objects.append(value)
        return .uid(objects.count - 1)
    }

    /// Adds an object of a class.
    mutating func add(
        _ name: String, _ values: KeyValuePairs<String, PropertyListValue>, ancestors: [String] = []
    ) -> PropertyListValue {
        let object = add(.boolean(false))
        define(object, name, values, ancestors: ancestors)
        return object
    }

    /// Sets the values of an object that was added before, which allows cycles.
    mutating func define(
        _ object: PropertyListValue, _ name: String, _ values: KeyValuePairs<String, PropertyListValue>,
        ancestors: [String] = []
    ) {
        guard case .uid(let number) = object else { return }
        let entries = values.map { PropertyListValue.Entry($0.key, $0.value) }
        objects[number] = .dictionary([.init("$class", classReference(name, ancestors))] + entries)
    }

    /// Adds a dictionary.
    mutating func dictionary(
        _ entries: KeyValuePairs<String, PropertyListValue>, of name: String = "NSMutableDictionary"
    ) -> PropertyListValue {
        let keys = entries.map { add(.string($0.key)) }
        return add(name, ["NS.keys": .array(keys), "NS.objects": .array(entries.map(\.value))])
    }

    /// Adds an array or a set.
    mutating func list(_ elements: [PropertyListValue], of name: String = "NSArray") -> PropertyListValue {
        add(name, ["NS.objects": .array(elements)])
    }

    /// Adds an attribute.
    mutating func attribute(_ name: String, type: Int, default value: PropertyListValue = null) -> PropertyListValue {
        add(
            "NSAttributeDescription",
            [
                "NSPropertyName": add(.string(name)), "NSAttributeType": .integer(Int64(type)), "NSDefaultValue": value,
                "_P": .integer(241),
            ])
    }

    /// Adds an entity.
    mutating func entity(
        _ name: String, parent: PropertyListValue = null, properties: KeyValuePairs<String, PropertyListValue> = [:]
    ) -> PropertyListValue {
        add(
            "NSEntityDescription",
            [
                "NSEntityName": add(.string(name)), "NSSuperentity": parent, "NSProperties": dictionary(properties),
                "NSClassNameForEntity": Self.null,
            ])
    }

    /// Returns the archive of a model with entities.
    mutating func model(_ entities: KeyValuePairs<String, PropertyListValue>) -> [UInt8] {
        let list = dictionary(entities)
        let root = add("NSManagedObjectModel", ["NSEntities": list])
        return bytes(root: root)
    }

    /// Returns the archive.
    func bytes(root: PropertyListValue) -> [UInt8] {
        PropertyListValue.dictionary([
            .init("$version", .integer(100_000)), .init("$archiver", .string("NSKeyedArchiver")),
            .init("$top", .dictionary([.init("root", root)])), .init("$objects", .array(objects)),
        ]).binaryBytes()
    }

    private mutating func classReference(_ name: String, _ ancestors: [String]) -> PropertyListValue {
        if let known = classes[name] { return known }
        let names = ([name] + ancestors + ["NSObject"]).map { PropertyListValue.string($0) }
        let reference = add(.dictionary([.init("$classname", .string(name)), .init("$classes", .array(names))]))
        classes[name] = reference
        return reference
    }
}
