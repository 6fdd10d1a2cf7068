internal import Foundation
internal import PredicateSyntax

/// The values that a tree refers to, by their references.
struct BoxTable {
    private var values: [OpaqueValue: Any] = [:]

    init(_ boxes: OpaqueBoxes) {
        for box in boxes.boxes { values[box.reference] = box.value }
    }

    func value(of reference: OpaqueValue) -> Any? { values[reference] }

    func value(of constant: Constant) -> PredicateValue {
        switch constant {
        case .null: .null
        case .boolean(let flag): .boolean(flag)
        case .integer(let number): .integer(number)
        case .real(let number): .real(number)
        case .string(let text): .string(text)
        case .opaque(let reference): PredicateValue(any: value(of: reference))
        }
    }
}

/// Builds the steps of a program, starting with the last, so that the positions to continue at are known when a step is
/// created. A stack of unfinished compounds replaces recursion.
struct ProgramBuilder {
    private typealias Position = TestProgram.Position

    /// A compound whose last parts have been compiled.
    private struct Unfinished {
        var parts: [PredicateSource]
        let isAnd: Bool
        let ifTrue: Position
        let ifFalse: Position
    }

    private let compiler: NodeCompiler
    private var steps: [TestProgram.Step] = []

    init(_ compiler: NodeCompiler) {
        self.compiler = compiler
    }

    consuming func program(_ root: PredicateSource) -> TestProgram {
        let start = compile(root)
        return TestProgram(steps: steps, start: start)
    }

    private mutating func compile(_ root: PredicateSource) -> Position {
        var unfinished: [Unfinished] = []
        var (source, ifTrue, ifFalse) = (root, Position.answerTrue, Position.answerFalse)
        while true {
            let entry: Position
            switch source.kind {
            case .answer(let answer): entry = answer ? ifTrue : ifFalse
            case .comparison(let comparison, let boxes):
                entry = add(compiler.comparison(comparison, boxes), ifTrue: ifTrue, ifFalse: ifFalse)
            case .embedded(let predicate):
                entry = add(ForeignPredicateNode(predicate), ifTrue: ifTrue, ifFalse: ifFalse)
            case .code(let predicate):
                compiler.recordCode()
                entry = add(ForeignPredicateNode(predicate), ifTrue: ifTrue, ifFalse: ifFalse)
            case .not(let operand):
                (source, ifTrue, ifFalse) = (operand, ifFalse, ifTrue)
                continue
            case .compound(var parts, let isAnd):
                // Without parts, AND is true and OR is false.
                guard let last = parts.popLast() else {
                    entry = isAnd ? ifTrue : ifFalse
                    break
                }
                unfinished.append(Unfinished(parts: parts, isAnd: isAnd, ifTrue: ifTrue, ifFalse: ifFalse))
                source = last
                continue
            }
            guard let next = nextPart(of: &unfinished, before: entry) else { return entry }
            (source, ifTrue, ifFalse) = next
        }
    }

    /// Returns the part before the one that begins at `entry`, with its positions, or `nil` if everything is done.
    private func nextPart(
        of unfinished: inout [Unfinished], before entry: Position
    ) -> (PredicateSource, ifTrue: Position, ifFalse: Position)? {
        while var compound = unfinished.popLast() {
            guard let part = compound.parts.popLast() else { continue }
            let (ifTrue, ifFalse) = compound.isAnd ? (entry, compound.ifFalse) : (compound.ifTrue, entry)
            unfinished.append(compound)
            return (part, ifTrue, ifFalse)
        }
        return nil
    }

    /// Adds a step, and returns its position.
    private mutating func add(_ test: TestNode, ifTrue: Position, ifFalse: Position) -> Position {
        steps.append(TestProgram.Step(test: .passRetained(test), ifTrue: ifTrue, ifFalse: ifFalse))
        return Position(index: steps.count - 1)
    }
}

extension NSPredicate {
    /// The result of Foundation's own constant predicate; `nil` for any other predicate.
    var constantAnswer: Bool? {
        guard type(of: self) == NSPredicate.self else { return nil }
        if self == NSPredicate(value: true) { return true }
        return self == NSPredicate(value: false) ? false : nil
    }
}

extension NSCompoundPredicate {
    /// Whether the class is Foundation's or this module's, rather than a subclass with its own evaluation.
    var isBuiltInClass: Bool {
        type(of: self) == NSCompoundPredicate.self || type(of: self) == TreeCompound.self
    }
}
