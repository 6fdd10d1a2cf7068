package import Foundation
internal import PredicateSyntax

/// The meaning of key paths and constants in Swift predicates over classes other than managed objects.
package protocol PredicateResolver {
    /// Returns the keys that a key path stands for.
    ///
    /// - Throws: `UnsupportedPredicate` if it does not lead to a property.
    func property(of keyPath: AnyKeyPath) throws -> ResolvedKeyPath

    /// Returns a constant in a form that predicates of managed objects support, or the value itself.
    ///
    /// - Throws: `UnsupportedPredicate` if there is none.
    func constant(_ value: Any) throws -> Any

    /// Returns the names of the entities of a class and its subclasses, or `nil` if the model has no such class.
    func entityNames(of type: Any.Type) -> [String]?
}

/// The property that a Swift key path stands for in a predicate.
package enum ResolvedKeyPath {
    /// The value that the key path starts from.
    case operand
    /// The value at a dotted key path.
    case keys(String)
    /// The name of the first element with a value, of the elements of a composite attribute.
    case element(of: String, names: [String])
}

/// The reason why a Swift predicate has no equivalent.
package struct UnsupportedPredicate: Error {
    /// Whether the part is a key path.
    package let isKeyPath: Bool
    /// The part.
    package let reason: String

    package init(_ reason: String, isKeyPath: Bool = false) {
        self.reason = reason
        self.isKeyPath = isKeyPath
    }
}

/// Converts Swift predicates over classes other than managed objects.
package enum ResolvedPredicate {
    /// Returns the equivalent of a Swift predicate.
    ///
    /// - Throws: `UnsupportedPredicate` if a part of it has no equivalent.
    package static func make<Input>(
        _ predicate: Foundation.Predicate<Input>, resolver: any PredicateResolver
    ) throws -> NSPredicate {
        var conversion = PredicateConversion()
        conversion.resolver = resolver
        conversion.bind(predicate.variable.key, to: .evaluatedObject)
        do {
            let syntax = try conversion.condition(predicate.expression)
            return PredicateTree(syntax, boxes: conversion.boxes).makePredicate()
        } catch let error as PredicateConversion.Unsupported {
            throw UnsupportedPredicate(error.what)
        }
    }
}

extension PredicateConversion {
    /// Returns the value at the end of a key path.
    mutating func property(
        _ keyPath: AnyKeyPath, of operand: PredicateSyntax.Expression
    ) throws -> PredicateSyntax.Expression {
        guard let resolver else {
            guard let string = Self.keys(of: keyPath) else { throw Unsupported("\(keyPath)") }
            return string == "self" ? operand : operand.following(DottedKeyPath(string))
        }
        switch try resolver.property(of: keyPath) {
        case .operand: return operand
        case .keys(let string): return operand.following(DottedKeyPath(string))
        case .element(let prefix, let names):
            var value = PredicateSyntax.Expression.constant(.null)
            for name in names.reversed() {
                let element = operand.following(DottedKeyPath(prefix + "." + name))
                value = .conditional(.compare(element, using: .notEqual, right: .constant(.null)), .string(name), value)
            }
            return value
        }
    }

    /// Returns the dotted key path of a Swift key path, `self` for the identity key path, or `nil` if its names are
    /// unknown.
    private static func keys(of keyPath: AnyKeyPath) -> String? {
        if let naming = type(of: keyPath).rootType as? any KeyPathNaming.Type {
            return naming.predicateKeys(of: keyPath)
        }
        return ExposedProperties.string(of: keyPath) ?? (String(reflecting: keyPath).hasSuffix(".self") ? "self" : nil)
    }

    /// Returns whether an operand is an instance of a class, as a comparison of its entity.
    mutating func isInstance(
        _ operand: PredicateSyntax.Expression, of type: Any.Type
    ) throws -> PredicateSyntax.Predicate {
        guard let names = resolver?.entityNames(of: type) else { throw Unsupported("\(type)") }
        let tests = names.map { name in
            PredicateSyntax.Predicate.compare(operand.following("entity.name"), using: .equal, right: .string(name))
        }
        return tests.count == 1 ? tests[0] : .or(tests)
    }
}
