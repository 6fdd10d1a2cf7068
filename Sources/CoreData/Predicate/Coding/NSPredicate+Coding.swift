public import Foundation
public import FoundationAliases

// Foundation on Linux archives neither. NSSecureCoding's initializer comes from the factory, as no class outside of Foundation
// can add a required one; the archive names Foundation's own classes.

extension NSPredicate: @retroactive NSCoding {
    /// Writes the predicate as text, and the values in it that have no literal as arguments.
    ///
    /// A block, an operator that is a method, and values that no archive takes trap, as on Apple's platforms.
    public func encode(with coder: NSCoder) {
        do {
            try ArchivedFormat(tree).encode(with: coder)
        } catch {
            misuse("NSInvalidArgumentException", "\(error)")
        }
    }

    /// Lets a predicate that came from an archive be evaluated. Nothing needs to be done here: what an archive names can only
    /// read properties, and call the functions of the predicate language.
    public func allowEvaluation() {}
}

extension NSPredicate: @retroactive NSSecureCoding {
    /// True.
    public static var supportsSecureCoding: Bool { true }
}

extension FoundationFactory where Self: NSPredicate {
    /// Reads a predicate from an archive; nil if that has none of the class.
    public init?(coder: NSCoder) {
        guard let predicate = ArchivedFormat(coder: coder)?.predicate?.makePredicate() as? Self else { return nil }
        self = predicate
    }
}

extension FoundationNames.Expression: @retroactive NSCoding {
    /// Writes the expression as text; see `NSPredicate`.
    public func encode(with coder: NSCoder) {
        do {
            try ArchivedFormat(tree).encode(with: coder)
        } catch {
            misuse("NSInvalidArgumentException", "\(error)")
        }
    }

    /// Lets an expression that came from an archive be evaluated; see `NSPredicate`.
    public func allowEvaluation() {}
}

extension FoundationNames.Expression: @retroactive NSSecureCoding {
    /// True.
    public static var supportsSecureCoding: Bool { true }
}

extension FoundationFactory where Self: NSExpression {
    /// Reads an expression from an archive; nil if that has none.
    public init?(coder: NSCoder) {
        guard let tree = ArchivedFormat(coder: coder)?.expression, let result = tree.makeExpression() as? Self
        else { return nil }
        self = result
    }
}
