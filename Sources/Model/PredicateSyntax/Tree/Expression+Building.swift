// Shorthands for building expressions in code. The parser also uses them, so that a tree built in code equals the
// parsed one.
extension Expression {
    /// Returns a key path from the evaluated object, given as a dotted string.
    package static func key(_ keyPath: DottedKeyPath) -> Expression {
        .keyPath(KeyPathExpression(keyPath))
    }

    /// Returns a call of a predefined function, such as `count:`.
    package static func call(_ selector: String, _ arguments: Expression...) -> Expression {
        .function(FunctionCall(selector: selector, arguments: arguments))
    }

    /// Returns a string constant.
    package static func string(_ value: String) -> Expression {
        .constant(.string(value))
    }

    /// Returns an integer constant.
    package static func integer(_ value: Int64) -> Expression {
        .constant(.integer(value))
    }

    /// Returns this expression followed by more keys. A key path is extended: `a` and `b` make the single key path
    /// `a.b`, as the parser reads it. Any other expression becomes the operand of a new key path.
    package func appending(_ keyPath: DottedKeyPath) -> Expression {
        guard case .keyPath(var path) = self else {
            return .keyPath(KeyPathExpression(keyPath, of: self))
        }
        path.keyPath.keys += keyPath.keys
        return .keyPath(path)
    }
}
