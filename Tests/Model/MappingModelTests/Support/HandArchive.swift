import CompiledModel
import Foundation

/// A writer of keyed archives that is independent of the encoder.
struct HandArchive {
    private var objects: [PropertyListValue] = [.string("$null")]
    private var classes: [String: PropertyListValue] = [:]

    /// A reference to the null object.
    static let null = PropertyListValue.uid(0)

    /// Adds a value as a separate object.
    mutating func add(_ value: PropertyListValue) -> PropertyListValue {
        objects.append(value)
        return .uid(objects.count - 1)
    }

    /// Adds a string as a separate object.
    mutating func add(_ text: String) -> PropertyListValue { add(.string(text)) }

    /// Adds an object of a class.
    mutating func add(
        _ name: String, _ values: KeyValuePairs<String, PropertyListValue>
    ) -> PropertyListValue {
        let object = add(.boolean(false))
        define(object, name, values)
        return object
    }

    /// Sets the values of an object that was added before, which allows cycles.
    mutating func define(
        _ object: PropertyListValue, _ name: String, _ values: KeyValuePairs<String, PropertyListValue>
    ) {
        guard case .uid(let number) = object else { return }
        let entries = values.map { PropertyListValue.Entry($0.key, $0.value) }
        let type =
            classes[name]
            ?? add(
                .dictionary([
                    .init("$classname", .string(name)),
                    .init("$classes", .array([.string(name), .string("NSObject")])),
                ]))
        classes[name] = type
        objects[number] = .dictionary([.init("$class", type)] + entries)
    }

    mutating func list(_ elements: [PropertyListValue], of name: String = "NSMutableArray") -> PropertyListValue {
        add(name, ["NS.objects": .array(elements)])
    }

    mutating func dictionary(_ entries: [(String, PropertyListValue)]) -> PropertyListValue {
        let keys = entries.map { add($0.0) }
        return add("NSMutableDictionary", ["NS.keys": .array(keys), "NS.objects": .array(entries.map(\.1))])
    }

    /// Returns the archive of an object.
    func bytes(root: PropertyListValue) -> [UInt8] {
        PropertyListValue.dictionary([
            .init("$version", .integer(100_000)), .init("$archiver", .string("NSKeyedArchiver")),
            .init("$top", .dictionary([.init("root", root)])), .init("$objects", .array(objects)),
        ]).binaryBytes()
    }
}

extension HandArchive {
    /// Adds the expression `$source.KEYPATH` (Documentation/Formats/MappingModel.md, 2).
    mutating func sourceKeyPath(_ path: String) -> PropertyListValue {
        let variable = add("NSVariableExpression", ["NSExpressionType": .integer(2), "NSVariable": add("source")])
        return keyPath(path, of: variable, type: 4, selector: "valueForKeyPath:")
    }

    /// Adds a key path expression.
    mutating func keyPath(
        _ path: String, of operand: PropertyListValue, type: Int64, selector: String
    ) -> PropertyListValue {
        let specifier = add(
            "NSKeyPathSpecifierExpression", ["NSExpressionType": .integer(10), "NSKeyPath": add(path)])
        return add(
            "NSKeyPathExpression",
            [
                "NSExpressionType": .integer(type), "NSOperand": operand, "NSSelectorName": add(selector),
                "NSArguments": list([specifier]),
            ])
    }

    /// Returns the archive of the expression `$source.KEYPATH`.
    static func sourceKeyPath(_ path: String) -> [UInt8] {
        var archive = HandArchive()
        let root = archive.sourceKeyPath(path)
        return archive.bytes(root: root)
    }

    /// Returns the archive of a constant date, which no format string can express.
    static func dateConstant() -> [UInt8] {
        var archive = HandArchive()
        let date = archive.add("NSDate", ["NS.time": .real(1234.5)])
        let root = archive.add(
            "NSConstantValueExpression", ["NSExpressionType": .integer(0), "NSConstantValue": date])
        return archive.bytes(root: root)
    }
}

/// A keyed archive accessed by keys.
struct OpenArchive {
    private let objects: [PropertyListValue]
    let root: PropertyListValue

    init(_ bytes: [UInt8]) throws {
        let list = try PropertyListValue(binary: bytes)
        guard case .array(let objects)? = list["$objects"], let root = list["$top"]?["root"] else {
            throw CocoaError(.fileReadCorruptFile)
        }
        self.objects = objects
        self.root = root
    }

    /// Returns the value at a path of keys and indices from the root, without resolving a final reference.
    func reference(_ path: [String]) -> PropertyListValue? {
        var current: PropertyListValue? = root
        for key in path {
            guard let object = current.map(resolve) else { return nil }
            if let index = Int(key), case .array(let elements)? = object["NS.objects"] {
                current = elements.indices.contains(index) ? elements[index] : nil
            } else {
                current = object[key]
            }
        }
        return current
    }

    /// Returns the value at a path of keys and indices, with references resolved.
    func value(_ path: String...) -> PropertyListValue? { reference(path).map(resolve) }

    /// Returns whether a path refers to the null object.
    func isNull(_ path: String...) -> Bool { reference(path) == .uid(0) }

    /// Returns the names of the class of an object and its superclasses.
    func classes(_ path: String...) -> [String] {
        guard let object = reference(path).map(resolve), let type = object["$class"].map(resolve),
            case .array(let names)? = type["$classes"]
        else { return [] }
        return names.compactMap(\.string)
    }

    /// Returns the sorted keys of an object.
    func keys(_ path: String...) -> [String] {
        (reference(path).map(resolve)?.dictionary ?? []).map(\.key).filter { $0 != "$class" }.sorted()
    }

    private func resolve(_ value: PropertyListValue) -> PropertyListValue {
        if case .uid(let number) = value, objects.indices.contains(number) { return objects[number] }
        return value
    }
}
