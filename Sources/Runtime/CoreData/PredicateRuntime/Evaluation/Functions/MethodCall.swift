internal import Foundation
internal import RuntimeSupport

/// An object whose methods predicates can call without an Objective-C runtime, by `FUNCTION(object, "selector:",
/// argument)` or custom operators.
///
/// ```swift
/// final class Prices: PredicateCallable {
///     func callPredicateMethod(_ selector: String, arguments: [Any?]) -> Any?? {
///         selector == "withTax:" ? .some((arguments.first as? Double).map { $0 * 1.19 }) : nil
///     }
/// }
/// ```
public protocol PredicateCallable: AnyObject {
    /// Calls a method.
    ///
    /// - Parameters:
    ///   - selector: The method's name with its colons.
    ///   - arguments: The values of its arguments.
    /// - Returns: The result of the method, wrapped in an optional that is `nil` if there is no such method.
    func callPredicateMethod(_ selector: String, arguments: [Any?]) -> Any??
}

/// An object whose methods expressions of mapping models call: `FUNCTION($manager, "selector:", …)`.
///
/// The predicate language has no errors, so the object keeps a method's error for the migration, which checks for it
/// after each evaluation.
protocol MigrationCallable: AnyObject {
    func callMigrationMethod(_ selector: String, arguments: [Any?]) -> Any?
}

/// Method calls, `FUNCTION(object, "selector:", argument)`: the methods of Foundation's values that predicates use, and
/// those of a `PredicateCallable`.
enum MethodCall {
    /// Calls a method. A call on `nil` returns `nil`. Traps if the object does not have the method.
    static func call(_ selector: String, of target: PredicateValue, _ arguments: [PredicateValue]) -> PredicateValue {
        if target.isNull { return .null }
        if let result = general(selector, target: target, arguments: arguments) { return result }
        switch target {
        case .string(let text):
            if let result = string(selector, text: text, arguments: arguments) { return result }
        case .date(let seconds):
            if selector == "dateByAddingTimeInterval:", arguments.count == 1 {
                return .date(seconds + arguments[0].doubleNumber)
            }
            if selector == "timeIntervalSinceDate:", case .date(let other)? = arguments.first {
                return .real(seconds - other)
            }
        case .collection(let collection):
            if let result = self.collection(selector, collection: collection, arguments: arguments) { return result }
        case .dictionary(let dictionary):
            if selector == "objectForKey:", let key = arguments.first?.any {
                return PredicateValue(any: dictionary.value(forKey: key))
            }
            if selector == "count" { return .integer(Int64(dictionary.count)) }
        default: break
        }
        if arguments.isEmpty, !selector.hasSuffix(":"), let result = target.scalarValue(forKey: selector) {
            return result
        }
        misuse(
            "NSInvalidArgumentException",
            "\(target.textForMessage) has no method \(selector) that predicates can call (see PredicateCallable)")
    }

    private static func general(
        _ selector: String, target: PredicateValue, arguments: [PredicateValue]
    ) -> PredicateValue? {
        if let callable = target.any as? any PredicateCallable,
            let result = callable.callPredicateMethod(selector, arguments: arguments.map(\.any))
        {
            return PredicateValue(any: result)
        }
        if let callable = target.any as? any MigrationCallable {
            return PredicateValue(any: callable.callMigrationMethod(selector, arguments: arguments.map(\.any)))
        }
        switch (selector, arguments.first) {
        case ("self", nil): return target
        case ("isEqual:", let other?): return .boolean(target.equals(other))
        case ("compare:", let other?):
            return switch target.order(other) {
            case .ascending: .integer(-1)
            case .descending: .integer(1)
            default: .integer(0)
            }
        case ("valueForKey:", .string(let key)): return target.value(forKey: key)
        case ("valueForKeyPath:", .string(let path)):
            return target.value(forKeys: path.split(separator: ".", omittingEmptySubsequences: false).map(String.init))
        default: return nil
        }
    }

    private static func string(_ selector: String, text: String, arguments: [PredicateValue]) -> PredicateValue? {
        switch (selector, arguments.first) {
        case ("stringByAppendingString:", .string(let other)): return .string(text + other)
        case ("hasPrefix:", .string(let other)): return .boolean(text.hasPrefix(other))
        case ("hasSuffix:", .string(let other)): return .boolean(text.hasSuffix(other))
        case ("containsString:", .string(let other)): return .boolean(text.contains(other))
        case ("isEqualToString:", .string(let other)): return .boolean(text.isSame(other))
        case ("stringByTrimmingCharactersInSet:", _): return nil
        case ("substringFromIndex:", let index?):
            return .string(NSString(string: text).substring(from: position(index, in: text)))
        case ("substringToIndex:", let index?):
            return .string(NSString(string: text).substring(to: position(index, in: text)))
        default: return nil
        }
    }

    private static func position(_ value: PredicateValue, in text: String) -> Int {
        let index = value.wholeNumber
        guard (0...Int64(text.utf16.count)).contains(index) else {
            misuse("NSRangeException", "Index \(index) out of bounds; string length \(text.utf16.count)")
        }
        return Int(index)
    }

    private static func collection(
        _ selector: String, collection: PredicateCollection, arguments: [PredicateValue]
    ) -> PredicateValue? {
        switch (selector, arguments.first) {
        case ("count", nil): .integer(Int64(collection.count))
        case ("firstObject", nil), ("anyObject", nil): collection.elements.first ?? .null
        case ("lastObject", nil): collection.elements.last ?? .null
        case ("containsObject:", let element?): .boolean(collection.elements.contains { $0.equals(element) })
        case ("objectAtIndex:", let index?): collection.element(at: index)
        default: nil
        }
    }
}

extension PredicateCollection {
    /// Returns the element at an index. Traps, where Apple's framework raises an exception, if the index is out of
    /// bounds.
    func element(at index: PredicateValue) -> PredicateValue {
        guard kind != .set else {
            misuse("NSInvalidArgumentException", "a set has no element at an index")
        }
        let position = index.wholeNumber
        guard index.isNumber, (0..<Int64(elements.count)).contains(position) else {
            misuse("NSRangeException", "index \(index.textForMessage) beyond bounds [0 .. \(elements.count - 1)]")
        }
        return elements[Int(position)]
    }
}
