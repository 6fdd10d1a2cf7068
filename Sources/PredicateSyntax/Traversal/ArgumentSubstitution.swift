/// What takes the place of a placeholder such as `%@`.
package enum Argument: Hashable, Sendable {
    /// A value; any that this module does not know as ``Constant/opaque(_:)``. For `%K` only a string, which is taken as
    /// a dotted key path.
    case constant(Constant)
    /// A key path, usually for `%K`.
    case keyPath(DottedKeyPath)
    /// A whole expression, as `%@` takes an `NSExpression`.
    case expression(Expression)
}

/// An argument cannot stand where its placeholder stands: something other than a key path for `%K`.
package struct ArgumentMismatch: Error, Hashable, Sendable, CustomStringConvertible {
    /// The placeholder.
    package let placeholder: Placeholder
    /// The argument that was given for it.
    package let argument: Argument

    /// A sentence for people, with the argument's place counted from 1.
    package var description: String {
        "argument \(placeholder.index + 1) for \(placeholder.spelling) must be a key path"
    }
}

extension Predicate {
    /// The predicate with every argument in its place.
    ///
    /// The function is asked once for each placeholder, operands before what follows them; placeholders are numbered in
    /// the order of the text.
    /// - Throws: what the function throws, and ``ArgumentMismatch`` if `%K` gets something other than a key path.
    package func substitutingArguments(_ argument: (Placeholder) throws -> Argument) throws -> Predicate {
        try mapExpressions { (expression: Expression) throws -> Expression in
            try expression.replacingPlaceholder(argument)
        }
    }
}

extension Expression {
    /// The expression with every argument in its place; see ``Predicate/substitutingArguments(_:)``.
    /// - Throws: what the function throws, and ``ArgumentMismatch`` if `%K` gets something other than a key path.
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
