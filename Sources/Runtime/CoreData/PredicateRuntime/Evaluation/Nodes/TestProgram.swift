internal import Foundation

/// A predicate as a list of comparisons, each with the positions to continue at if it is `true` or `false`: AND, OR and
/// NOT are only these positions. So compounds need no calls, and no stack at any depth.
final class TestProgram {
    /// A retained comparison, and the positions to continue at.
    struct Step {
        let test: Unmanaged<TestNode>
        let ifTrue: Position
        let ifFalse: Position
    }

    /// The index of a step, or the result.
    struct Position: Equatable {
        let index: Int

        static let answerTrue = Position(index: -1)
        static let answerFalse = Position(index: -2)
    }

    /// The steps. Their tests live as long as the program, which owns them, so that calling one needs no reference
    /// counting.
    let steps: UnsafeMutableBufferPointer<Step>
    let start: Position

    /// Creates a program that owns the references to the steps' tests.
    init(steps: [Step], start: Position) {
        self.steps = .allocate(capacity: steps.count)
        _ = self.steps.initialize(fromContentsOf: steps)
        self.start = start
    }

    deinit {
        for step in steps { step.test.release() }
        steps.deallocate()
    }

    /// Returns whether the predicate is `true` for an object.
    func holds(for object: PredicateValue, in frame: inout EvaluationFrame) -> Bool {
        var position = start.index
        while position >= 0 {
            let step = steps[position]
            let isTrue = step.test._withUnsafeGuaranteedRef { $0.holds(for: object, in: &frame) }
            position = isTrue ? step.ifTrue.index : step.ifFalse.index
        }
        return position == Position.answerTrue.index
    }
}
