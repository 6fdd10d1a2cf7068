/// Keys that are followed from an object, Apple's `NSKeyPathExpression`.
package struct KeyPathExpression: Hashable, Sendable {
    /// The start of the key path. `nil` for the evaluated object; an explicit `SELF.` is kept only so that it is
    /// printed again. In a parsed tree it is never a key path without an operand, since that would be a single longer
    /// key path.
    package var operand: Expression?
    package var keyPath: DottedKeyPath

    /// Creates a key path that starts at the evaluated object unless an operand is given.
    package init(_ keyPath: DottedKeyPath, of operand: Expression? = nil) {
        self.operand = operand
        self.keyPath = keyPath
    }

    /// Whether the keys start at the evaluated object, explicitly or not.
    package var startsAtEvaluatedObject: Bool {
        operand == nil || operand == .evaluatedObject
    }
}
