// Shorthands for building expressions in code. The parser uses them as well, so that a tree built by hand equals the
// parsed one.
extension Expression {
    /// A key path from the evaluated object, given as a dotted string.
    package static func key(_ keyPath: DottedKeyPath) -> Expression {
        .keyPath(KeyPathExpression(keyPath))
    }

    /// A predefined function, such as `count:`.
    package static func call(_ selector: String, _ arguments: Expression...) -> Expression {
        .function(FunctionCall(selector: selector, arguments: arguments))
    }

    /// A string constant.
    package static func string(_ value: String) -> Expression {
        .constant(.string(value))
    }

    /// An integer constant.
    package static func integer(_ value: Int64) -> Expression {
        .constant(.integer(value))
    }

    /// This expression followed by more keys. A key path becomes longer, `a` and `b` give the single key path `a.b`,
    /// which is what the parser makes of the text; anything else becomes the operand of a new key path.
    package func appending(_ keyPath: DottedKeyPath) -> Expression {
        guard case .keyPath(var path) = self else {
            return .keyPath(KeyPathExpression(keyPath, of: self))
        }
        path.keyPath.keys += keyPath.keys
        return .keyPath(path)
    }
}
