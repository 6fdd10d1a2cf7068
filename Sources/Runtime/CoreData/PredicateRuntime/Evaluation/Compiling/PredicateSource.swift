internal import Foundation
internal import PredicateSyntax

/// A predicate in one of its possible forms.
enum PredicateSource {
    /// An object of Apple's API.
    case object(NSPredicate)
    /// A part of a tree.
    case tree(PredicateSyntax.Predicate, BoxTable)

    /// The kind of a predicate, for the evaluator and for SQL.
    enum Kind {
        /// The same answer for every object.
        case answer(Bool)
        case comparison(Comparison, BoxTable)
        case not(PredicateSource)
        case compound([PredicateSource], isAnd: Bool)
        /// A predicate object inside a tree.
        case embedded(NSPredicate)
        /// A block, or a subclass with its own evaluation.
        case code(NSPredicate)
    }

    var kind: Kind {
        switch self {
        case .object(let predicate): Self.kind(of: predicate)
        case .tree(.value(let answer), _): .answer(answer)
        case .tree(.comparison(let comparison), let boxes): .comparison(comparison, boxes)
        case .tree(.not(let operand), let boxes): .not(.tree(operand, boxes))
        case .tree(.and(let parts), let boxes): .compound(parts.map { .tree($0, boxes) }, isAnd: true)
        case .tree(.or(let parts), let boxes): .compound(parts.map { .tree($0, boxes) }, isAnd: false)
        case .tree(.block(let reference), let boxes):
            (boxes.value(of: reference) as? NSPredicate).map { .embedded($0) } ?? .answer(false)
        }
    }

    private static func kind(of predicate: NSPredicate) -> Kind {
        switch predicate {
        case let comparison as TreeComparison:
            let tree = comparison.ownTree
            return PredicateSource.tree(tree.syntax, BoxTable(tree.boxes)).kind
        case let compound as NSCompoundPredicate where compound.isBuiltInClass:
            let parts = compound.subpredicates.map { PredicateSource.object($0) }
            switch compound.compoundPredicateType {
            case .not: return parts.first.map { .not($0) } ?? .answer(true)
            case .and: return .compound(parts, isAnd: true)
            case .or: return .compound(parts, isAnd: false)
            }
        default:
            // TRUEPREDICATE and FALSEPREDICATE are Foundation's.
            return predicate.constantAnswer.map { .answer($0) } ?? .code(predicate)
        }
    }
}
