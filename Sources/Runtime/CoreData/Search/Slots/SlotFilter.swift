internal import Foundation

/// A predicate prepared for evaluation on the objects of one entity and its subentities: comparisons of attributes with
/// constants read the slots directly, everything else takes the general path.
///
/// Confined to the thread that created it.
final class SlotFilter {
    /// A step of a `TestProgram`, without managed references, so that executing steps needs no reference counting.
    private struct Step {
        enum Kind {
            /// A comparison of an integer with a constant.
            case integer
            /// A comparison of a floating-point number with a constant.
            case real
            /// An equality test of a string with a constant.
            case text
            /// Any other test of a value.
            case value
            /// Any other test.
            case general
        }

        var kind = Kind.general
        var slot = 0
        var accepted = AcceptedOrders()
        var isNegated = false
        var whole: Int64 = 0
        var number = 0.0
        /// The test of a value.
        var test: Unmanaged<TestBox>?
        var node: Unmanaged<TestNode>
        var ifTrue: Int
        var ifFalse: Int
    }

    /// A test, with its string if it has one.
    private final class TestBox {
        let test: any ValueTest
        let text: String

        init(_ test: any ValueTest, text: String = "") {
            self.test = test
            self.text = text
        }
    }

    /// Retains the nodes.
    private let program: TestProgram
    private let boxes: [TestBox]
    private let steps: UnsafeMutableBufferPointer<Step>
    private let start: Int
    private var frame: EvaluationFrame
    /// The initial comparison of a number, if the predicate is `false` whenever that is.
    let lead: NumberComparison?

    /// Creates a filter.
    ///
    /// - Parameters:
    ///   - evaluator: The predicate.
    ///   - layout: The layout of the entity, whose slots are also those of its subentities.
    init(_ evaluator: PredicateEvaluator, _ layout: EntityLayout) {
        program = evaluator.program
        frame = EvaluationFrame(size: evaluator.size, bindings: nil)
        start = program.start.index
        var boxes: [TestBox] = []
        let made = program.steps.map { step in
            var result = Step(node: step.test, ifTrue: step.ifTrue.index, ifFalse: step.ifFalse.index)
            guard let comparison = step.test.takeUnretainedValue() as? ConstantComparisonNode,
                let key = comparison.left as? KeyNode, let slot = layout.index(of: key.key),
                case .attribute = layout.slots[slot].kind
            else { return result }
            result.slot = slot
            let box = Self.prepare(&result, comparison.test)
            result.test = .passUnretained(box)
            boxes.append(box)
            return result
        }
        self.boxes = boxes
        lead = start >= 0 ? Self.lead(made[start], layout) : nil
        steps = .allocate(capacity: made.count)
        _ = steps.initialize(fromContentsOf: made)
    }

    private static func prepare(_ step: inout Step, _ test: any ValueTest) -> TestBox {
        switch test {
        case let test as WholeNumberTest:
            step.kind = .integer
            step.whole = test.number
            step.accepted = test.accepted
            step.isNegated = test.isNegated
        case let test as RealNumberTest:
            step.kind = .real
            step.number = test.number
            step.accepted = test.accepted
            step.isNegated = test.isNegated
        case let test as TextEqualityTest:
            step.kind = .text
            step.isNegated = test.isNegated
            return TestBox(test, text: test.text)
        default: step.kind = .value
        }
        return TestBox(test)
    }

    /// A comparison of a number with a constant, which is evaluated on a column of numbers before anything else.
    struct NumberComparison {
        let slot: Int
        let isReal: Bool
        let accepted: AcceptedOrders
        let isNegated: Bool
        let whole: Int64
        let number: Double
        /// Whether the predicate is `true` whenever the comparison is.
        let decides: Bool
    }

    private static func lead(_ step: Step, _ layout: EntityLayout) -> NumberComparison? {
        guard step.ifFalse == TestProgram.Position.answerFalse.index, step.kind == .integer || step.kind == .real,
            case .attribute(let type) = layout.slots[step.slot].kind
        else { return nil }
        switch (step.kind, type) {
        case (.integer, .integer16AttributeType), (.integer, .integer32AttributeType),
            (.integer, .integer64AttributeType),
            (.real, .doubleAttributeType):
            return NumberComparison(
                slot: step.slot, isReal: step.kind == .real, accepted: step.accepted, isNegated: step.isNegated,
                whole: step.whole, number: step.number, decides: step.ifTrue == TestProgram.Position.answerTrue.index)
        default: return nil
        }
    }

    deinit {
        steps.deallocate()
    }

    /// Returns whether the predicate is `true` for an object.
    @inline(__always)
    func matches<Object: SlotBacked>(_ object: Object) -> Bool {
        object.withSlots { matches($0, orObject: { object }) }
    }

    /// Returns whether the predicate is `true` for an object.
    ///
    /// - Parameters:
    ///   - slots: The object's values.
    ///   - object: Returns the object, where its values do not suffice.
    @inline(__always)
    func matches<Object: SlotBacked>(_ slots: SlotReader, orObject object: () -> Object) -> Bool {
        var position = start
        while position >= 0 {
            let step = steps.baseAddress.unsafelyUnwrapped + position
            let isTrue: Bool
            switch step.pointee.kind {
            case .integer:
                if case .integer(let number) = slots[step.pointee.slot] {
                    isTrue = step.pointee.accepted.accepts(number, step.pointee.whole) != step.pointee.isNegated
                } else {
                    isTrue = holds(step, slots: slots, object: object)
                }
            case .real:
                if case .double(let number) = slots[step.pointee.slot] {
                    let order = ValueOrder(number, step.pointee.number)
                    isTrue = step.pointee.accepted.accepts(order) != step.pointee.isNegated
                } else {
                    isTrue = holds(step, slots: slots, object: object)
                }
            default: isTrue = holds(step, slots: slots, object: object)
            }
            position = isTrue ? step.pointee.ifTrue : step.pointee.ifFalse
        }
        return position == TestProgram.Position.answerTrue.index
    }

    @inline(never)
    private func holds<Object: SlotBacked>(
        _ step: UnsafePointer<Step>, slots: SlotReader, object: () -> Object
    ) -> Bool {
        guard let box = step.pointee.test else {
            let object = object()
            frame.prepare(for: object)
            return step.pointee.node._withUnsafeGuaranteedRef { $0.holds(for: .slotted(object), in: &frame) }
        }
        return box._withUnsafeGuaranteedRef { box in
            if step.pointee.kind == .text, case .string(let text) = slots[step.pointee.slot] {
                return text.isSame(box.text) != step.pointee.isNegated
            }
            return box.test.holds(PredicateValue(attribute: slots[step.pointee.slot]))
        }
    }
}
