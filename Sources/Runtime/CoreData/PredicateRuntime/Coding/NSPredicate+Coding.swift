public import Foundation
public import FoundationAliases
internal import RuntimeSupport

// Foundation on Linux supports archiving neither. NSSecureCoding's initializer is provided by the factory, because no
// module other than Foundation can add a required one; archives refer to Foundation's own classes.

extension NSPredicate: @retroactive NSCoding {
    /// Archives the predicate as text, with the values that have no literal as arguments.
    ///
    /// Traps, as on Apple's platforms, on a block, an operator that calls a method, and values that cannot be archived.
    public func encode(with coder: NSCoder) {
        do {
            try ArchivedFormat(tree).encode(with: coder)
        } catch {
            misuse("NSInvalidArgumentException", "\(error)")
        }
    }

    /// Allows the evaluation of an unarchived predicate. Does nothing: predicates in archives can only read properties
    /// and call the functions of the predicate language.
    public func allowEvaluation() {}
}

extension NSPredicate: @retroactive NSSecureCoding {
    /// Always `true`.
    public static var supportsSecureCoding: Bool { true }
}

extension FoundationFactory where Self: NSPredicate {
    /// Decodes a predicate from an archive; `nil` if it contains none of the class.
    public init?(coder: NSCoder) {
        guard let predicate = ArchivedFormat(coder: coder)?.predicate?.makePredicate() as? Self else { return nil }
        self = predicate
    }
}

extension FoundationNames.Expression: @retroactive NSCoding {
    /// Archives the expression as text; see `NSPredicate`.
    public func encode(with coder: NSCoder) {
        do {
            try ArchivedFormat(tree).encode(with: coder)
        } catch {
            misuse("NSInvalidArgumentException", "\(error)")
        }
    }

    /// Allows the evaluation of an unarchived expression. Does nothing; see `NSPredicate`.
    public func allowEvaluation() {}
}

extension FoundationNames.Expression: @retroactive NSSecureCoding {
    /// Always `true`.
    public static var supportsSecureCoding: Bool { true }
}

extension FoundationFactory where Self: NSExpression {
    /// Decodes an expression from an archive; `nil` if it contains none.
    public init?(coder: NSCoder) {
        guard let tree = ArchivedFormat(coder: coder)?.expression, let result = tree.makeExpression() as? Self
        else { return nil }
        self = result
    }
}
