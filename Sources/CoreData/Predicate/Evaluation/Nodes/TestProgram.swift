internal import Foundation

/// A predicate as a list of comparisons, each with the place to go on at when it is true and when it is false: AND, OR and
/// NOT are nothing but these places. So a compound costs no calls, and one of any depth no stack.
final class TestProgram {
    /// A comparison and where to go on after it.
    struct Step {
        let test: any TestNode
        let ifTrue: Place
        let ifFalse: Place
    }

    /// The index of a step, or the answer.
    struct Place: Equatable {
        let index: Int

        static let answerTrue = Place(index: -1)
        static let answerFalse = Place(index: -2)
    }

    private let steps: [Step]
    private let start: Place

    init(steps: [Step], start: Place) {
        self.steps = steps
        self.start = start
    }

    /// Whether the predicate is true.
    func holds(in frame: inout EvaluationFrame) -> Bool {
        var place = start.index
        while place >= 0 {
            let step = steps[place]
            place = step.test.holds(in: &frame) ? step.ifTrue.index : step.ifFalse.index
        }
        return place == Place.answerTrue.index
    }
}
