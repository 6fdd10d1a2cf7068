internal import Foundation
internal import RuntimeSupport

/// Looks up properties in the tables that modelc's build plugin generates (`ObjectiveCProperties`).
enum ExposedProperties {
    private struct Property {
        var root: AnyClass
        var name: String
        var keyPath: AnyKeyPath
    }

    /// The properties of all modules.
    private struct Tables: @unchecked Sendable {
        /// By the text of the key path's component, which has the address of its getter or its offset.
        var byComponent: [Substring: [Property]] = [:]
        var byName: [String: [Property]] = [:]

        init() {
            for case let table as ObjectiveCProperties.Type in NamedClasses.all("_ObjectiveCProperties") {
                for (keyPath, name) in table.properties {
                    guard let root = type(of: keyPath).rootType as? AnyClass else { continue }
                    let property = Property(root: root, name: name, keyPath: keyPath)
                    let components = ExposedProperties.components(of: keyPath)
                    if components.count == 1 { byComponent[components[0], default: []].append(property) }
                    byName[name, default: []].append(property)
                }
            }
        }
    }

    private static let tables = Tables()

    /// Returns the dotted key path of a Swift key path that consists of such properties, or `nil` for any other key
    /// path.
    static func string(of keyPath: AnyKeyPath) -> String? {
        guard !tables.byName.isEmpty else { return nil }
        var names: [String] = []
        var owner: Any.Type = type(of: keyPath).rootType
        for component in components(of: keyPath) {
            let found = tables.byComponent[component]?.first { isClass(owner, $0.root) }
            guard let property = found else { return nil }
            names.append(property.name)
            owner = type(of: property.keyPath).valueType
            if let optional = owner as? any OptionalValue.Type { owner = optional.wrappedType }
        }
        return names.isEmpty ? nil : names.joined(separator: ".")
    }

    /// Returns the value of a property of an object; `nil` if its class has no such property, `.some(nil)` for a value
    /// of `nil`.
    static func value(of object: Any, forKey key: String) -> Any?? {
        guard let property = property(of: object, named: key) else { return nil }
        return .some(Unwrapping.value(object[keyPath: property.keyPath]))
    }

    /// Returns whether the name can be that of a handwritten accessor of a property of the model. Properties named
    /// `primitive…` are `@NSManaged`, and read the model's property themselves if there is one.
    static func isAccessor(_ key: String) -> Bool { !tables.byName.isEmpty && !key.hasPrefix("primitive") }

    /// Sets a property of an object.
    ///
    /// - Returns: Whether its class has such a property, which can be set to a value of this type.
    static func set(_ value: Any?, of object: AnyObject, forKey key: String) -> Bool {
        guard let setter = property(of: object, named: key)?.keyPath as? any PropertySetter else { return false }
        return setter.set(value, of: object)
    }

    private static func property(of object: Any, named key: String) -> Property? {
        guard !tables.byName.isEmpty, let found = tables.byName[key] else { return nil }
        return found.first { isClass(type(of: object), $0.root) }
    }

    /// Returns whether a type is a class or inherits from it.
    private static func isClass(_ type: Any.Type, _ other: AnyClass) -> Bool {
        var next: AnyClass? = type as? AnyClass
        while let current = next {
            if current == other { return true }
            next = _getSuperclass(current)
        }
        return false
    }

    /// Returns the names of a key path's components, without the marks of optionals.
    private static func components(of keyPath: AnyKeyPath) -> [Substring] {
        func identity<Root>(_ root: Root.Type) -> String { String(reflecting: \Root.self) }
        let text = String(reflecting: keyPath)
        // “\Book.self” and “\Book.<computed 0x… (String)>?.<…>”
        let start = _openExistential(type(of: keyPath).rootType, do: identity).dropLast("self".count)
        guard text.hasPrefix(start), text.utf8.count > start.utf8.count else { return [] }
        var components: [Substring] = []
        var rest = text.dropFirst(start.count)
        var depth = 0
        while let end = rest.firstIndex(where: { character in
            if "<(".contains(character) { depth += 1 }
            if ">)".contains(character) { depth -= 1 }
            return character == "." && depth == 0
        }) {
            components.append(rest[..<end])
            rest = rest[rest.index(after: end)...]
        }
        components.append(rest)
        return components.map { component in
            var component = component
            while component.last == "?" || component.last == "!" { component.removeLast() }
            return component
        }
    }
}

/// A key path of a property of a class that can be set.
private protocol PropertySetter {
    /// Sets the property, unless the object or the value has another type.
    func set(_ value: Any?, of object: AnyObject) -> Bool
}

extension ReferenceWritableKeyPath: PropertySetter {
    fileprivate func set(_ value: Any?, of object: AnyObject) -> Bool {
        guard let object = object as? Root, let value = value as? Value else { return false }
        object[keyPath: self] = value
        return true
    }
}
