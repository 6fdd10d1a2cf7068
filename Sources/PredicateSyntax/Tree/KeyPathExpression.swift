/// Keys that are followed from an object, Apple's `NSKeyPathExpression`.
package struct KeyPathExpression: Hashable, Sendable {
    /// What the keys are followed from. Nil if the text names none: then it is the evaluated object, as with an explicit
    /// `SELF.`, which is kept apart only to be printed again. Never a key path without operand in a parsed tree, as that
    /// is one longer key path.
    package var operand: Expression?
    /// The keys.
    package var keyPath: DottedKeyPath

    /// Creates a key path that starts at the evaluated object unless an operand is given.
    package init(_ keyPath: DottedKeyPath, of operand: Expression? = nil) {
        self.operand = operand
        self.keyPath = keyPath
    }

    /// Whether the keys start at the evaluated object, named or not.
    package var startsAtEvaluatedObject: Bool {
        operand == nil || operand == .evaluatedObject
    }
}
