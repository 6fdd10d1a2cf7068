/// An argument for a placeholder such as `%@`.
package enum Argument: Hashable, Sendable {
    /// A value; ``Constant/opaque(_:)`` for values that this module does not support. For `%K` only a string, which is
    /// parsed as a dotted key path.
    case constant(Constant)
    /// A key path, usually for `%K`.
    case keyPath(DottedKeyPath)
    /// An expression, just as `%@` accepts an `NSExpression`.
    case expression(Expression)
}

/// An argument that is invalid for its placeholder: something other than a key path for `%K`.
package struct ArgumentMismatch: Error, Hashable, Sendable, CustomStringConvertible {
    package let placeholder: Placeholder
    /// The argument that was given for it.
    package let argument: Argument

    /// A message with the argument's one-based position.
    package var description: String {
        "argument \(placeholder.index + 1) for \(placeholder.spelling) must be a key path"
    }
}

extension Predicate {
    /// Returns the predicate with every placeholder replaced by its argument.
    ///
    /// The function is called once for each placeholder, for operands before the parts that follow them; placeholders
    /// are numbered in the order of the text.
    /// - Throws: Any error of the function, or ``ArgumentMismatch`` if the argument for `%K` is not a key path.
    package func substitutingArguments(_ argument: (Placeholder) throws -> Argument) throws -> Predicate {
        try mapExpressions { (expression: Expression) throws -> Expression in
            try expression.replacingPlaceholder(argument)
        }
    }
}

extension Expression {
    /// Returns the expression with every placeholder replaced by its argument; see
    /// ``Predicate/substitutingArguments(_:)``.
    /// - Throws: Any error of the function, or ``ArgumentMismatch`` if the argument for `%K` is not a key path.
    package func substitutingArguments(_ argument: (Placeholder) throws -> Argument) throws -> Expression {
        try mapExpressions { (expression: Expression) throws -> Expression in
            try expression.replacingPlaceholder(argument)
        }
    }

    fileprivate func replacingPlaceholder(_ argument: (Placeholder) throws -> Argument) throws -> Expression {
        guard case .placeholder(let placeholder, let operand) = self else { return self }
        let argument = try argument(placeholder)
        switch (placeholder.kind, argument) {
        case (_, .keyPath(let keyPath)):
            return operand?.appending(keyPath) ?? .key(keyPath)
        case (.keyPath, .constant(.string(let dotted))):
            let keyPath = DottedKeyPath(dotted)
            return operand?.appending(keyPath) ?? .key(keyPath)
        case (.keyPath, _):
            throw ArgumentMismatch(placeholder: placeholder, argument: argument)
        case (_, .constant(let constant)):
            return .constant(constant)
        case (_, .expression(let expression)):
            return expression
        }
    }
}
