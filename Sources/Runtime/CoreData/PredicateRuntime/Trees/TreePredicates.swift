internal import CCoreDataSupport
internal import Foundation
internal import PredicateSyntax
internal import RuntimeSupport

/// The comparison that every factory of `NSComparisonPredicate` creates. Allocated like `TreeExpression`.
final class TreeComparison: NSComparisonPredicate {
    private var storage: Storage?

    private final class Storage {
        let tree: PredicateTree
        let evaluator = LazyReference<PredicateEvaluator>()
        let containsFetch: Bool
        init(_ tree: PredicateTree) {
            self.tree = tree
            var containsFetch = false
            tree.syntax.visitExpressions { if case .fetch = $0 { containsFetch = true } }
            self.containsFetch = containsFetch
        }
    }

    /// Creates a comparison from a tree, which must be one. Traps with an explanation if its expressions nest too
    /// deeply.
    static func make(_ tree: PredicateTree) -> TreeComparison {
        if case .comparison(let comparison) = tree.syntax, comparison.nests(deeperThan: NodeCompiler.maximumDepth) {
            NodeCompiler.stopAtDepth()
        }
        let type = unsafeBitCast(TreeComparison.self as AnyClass, to: UnsafeRawPointer.self)
        let raw = Unmanaged<TreeComparison>.fromOpaque(cd_allocate_zeroed(type)).takeRetainedValue()
        guard let predicate = raw.initializeAsPredicate(false) as? TreeComparison else { return raw }
        predicate.storage = Storage(tree)
        PrintedPredicates.prepare()
        return predicate
    }

    var ownTree: PredicateTree { storage?.tree ?? PredicateTree(.value(false)) }

    /// Whether the comparison contains a `FETCH` expression.
    var containsFetch: Bool { storage?.containsFetch ?? false }

    override func copy(with zone: NSZone? = nil) -> Any { self }

    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? TreeComparison else { return false }
        return self === other || TreeIdentity(ownTree) == TreeIdentity(other.ownTree)
    }

    override var hash: Int { TreeIdentity(ownTree).hashValue }

    override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
        guard let storage else { return false }
        return storage.evaluator.value { PredicateEvaluator(.object(self)) }
            .current { PredicateEvaluator(.object(self)) }
            .evaluate(with: object, substitutionVariables: bindings)
    }

    override var predicateFormat: String { ownTree.format }

    override var description: String { ownTree.format }

    override var classForKeyedArchiver: AnyClass? { NSComparisonPredicate.self }
}

extension NSPredicate {
    /// Calls `NSPredicate.init(value:)` on an allocated object.
    @_silgen_name("$s10Foundation11NSPredicateC5valueACSb_tcfc")
    fileprivate __consuming func initializeAsPredicate(_ value: Bool) -> NSPredicate
}

/// A compound predicate that prints and copies like Apple's.
final class TreeCompound: NSCompoundPredicate {
    private let evaluator = LazyReference<PredicateEvaluator>()

    override func copy(with zone: NSZone? = nil) -> Any { self }

    override func isEqual(_ object: Any?) -> Bool { isEqualCompound(object) }

    override var hash: Int { TreeIdentity(tree).hashValue }

    override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
        evaluator.value { PredicateEvaluator(self) }.current { PredicateEvaluator(self) }
            .evaluate(with: object, substitutionVariables: bindings)
    }

    override var predicateFormat: String { tree.format }

    override var description: String { tree.format }

    override var classForKeyedArchiver: AnyClass? { NSCompoundPredicate.self }
}

extension NSCompoundPredicate {
    /// Returns whether an object is an equal compound: the one identity that hashes follow too.
    final func isEqualCompound(_ object: Any?) -> Bool {
        guard let other = object as? NSCompoundPredicate else { return false }
        return self === other || TreeIdentity(tree) == TreeIdentity(other.tree)
    }
}

extension PredicateTree {
    /// Returns the predicate as an object of Apple's API.
    func makePredicate() -> NSPredicate {
        // A predicate without comparisons may be hashed before any other is made.
        PrintedPredicates.prepare()
        return Self.predicate(syntax, PartBoxes(boxes))
    }

    private static func predicate(_ syntax: PredicateSyntax.Predicate, _ boxes: PartBoxes) -> NSPredicate {
        switch syntax {
        case .comparison: TreeComparison.make(PredicateTree(syntax, boxes: boxes.boxes(of: syntax)))
        case .not(let part): compound(.not, parts: [part], boxes: boxes)
        case .and(let parts): compound(.and, parts: parts, boxes: boxes)
        case .or(let parts): compound(.or, parts: parts, boxes: boxes)
        case .value(let value): NSPredicate(value: value)
        case .block(let reference): boxes.value(of: reference) as? NSPredicate ?? NSPredicate(value: false)
        }
    }

    private static func compound(
        _ type: NSCompoundPredicate.LogicalType, parts: [PredicateSyntax.Predicate], boxes: PartBoxes
    ) -> NSPredicate {
        TreeCompound(type: type, subpredicates: parts.map { predicate($0, boxes) })
    }
}

extension NSPredicate {
    /// The maximum nesting depth of a predicate that is printed, compared, or given values for its variables. All of
    /// these use stack at every level, and 2000 levels use a few MB without optimization. Evaluation has no such limit.
    private static let maximumDepth = 2000

    /// The predicate as a tree. A block predicate is embedded unchanged. Traps with an explanation, instead of
    /// overflowing the stack, if the predicate nests too deeply.
    var tree: PredicateTree { tree(depth: 1) }

    private func tree(depth: Int) -> PredicateTree {
        guard depth <= Self.maximumDepth else {
            misuse("NSInvalidArgumentException", "a predicate nests deeper than \(Self.maximumDepth) levels")
        }
        switch self {
        case let comparison as TreeComparison: return comparison.ownTree
        case let compound as NSCompoundPredicate:
            let parts = compound.subpredicates.map { $0.tree(depth: depth + 1) }
            let syntax = parts.map(\.syntax)
            let boxes = OpaqueBoxes(parts.map(\.boxes))
            switch compound.compoundPredicateType {
            case .not: return PredicateTree(.not(syntax.first ?? .value(false)), boxes: boxes)
            case .and: return PredicateTree(.and(syntax), boxes: boxes)
            case .or: return PredicateTree(.or(syntax), boxes: boxes)
            }
        default:
            // Foundation's own predicates: a value or a block.
            if let answer = constantAnswer { return PredicateTree(.value(answer)) }
            var boxes = OpaqueBoxes()
            let reference = boxes.add(self)
            return PredicateTree(.block(reference), boxes: boxes)
        }
    }
}
