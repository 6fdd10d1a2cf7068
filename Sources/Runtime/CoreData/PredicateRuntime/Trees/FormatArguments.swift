internal import Foundation
internal import PredicateSyntax
internal import RuntimeSupport

/// Substitutes arguments for a format's `%@`, `%K`, `%d` and so on.
struct FormatArguments {
    private let arguments: [Any?]
    private var boxes = OpaqueBoxes()

    /// Parses a predicate. Traps if the format is invalid or an argument is missing, where Apple's
    /// framework raises an exception.
    static func predicate(_ format: String, _ arguments: [Any?]) -> PredicateTree {
        var values = FormatArguments(arguments: arguments)
        do {
            let syntax = try PredicateParser.parsePredicate(format)
                .substitutingArguments { try values.argument(for: $0) }
            return PredicateTree(syntax, boxes: values.boxes)
        } catch {
            unreadable(format, error)
        }
    }

    /// Returns the expression of a format; see `predicate(_:_:)`.
    static func expression(_ format: String, _ arguments: [Any?]) -> ExpressionTree {
        var values = FormatArguments(arguments: arguments)
        do {
            let syntax = try PredicateParser.parseExpression(format)
                .substitutingArguments { try values.argument(for: $0) }
            return ExpressionTree(syntax, boxes: values.boxes)
        } catch {
            unreadable(format, error)
        }
    }

    private init(arguments: [Any?]) {
        self.arguments = arguments
    }

    private static func unreadable(_ format: String, _ error: any Error) -> Never {
        misuse("NSInvalidArgumentException", "Unable to parse the format string \"\(format)\": \(error)")
    }

    private struct Missing: Error, CustomStringConvertible {
        var placeholder: Placeholder
        var count: Int
        var description: String {
            "\(placeholder.spelling) needs argument \(placeholder.index + 1), and there are only \(count)"
        }
    }

    private struct UnsupportedValue: Error, CustomStringConvertible {
        var placeholder: Placeholder
        var description: String {
            "argument \(placeholder.index + 1) for \(placeholder.spelling) must be a number; any value goes with %@"
        }
    }

    private mutating func argument(for placeholder: Placeholder) throws -> Argument {
        guard arguments.indices.contains(placeholder.index) else {
            throw Missing(placeholder: placeholder, count: arguments.count)
        }
        let value = arguments[placeholder.index]
        if let expression = value as? NSExpression {
            let tree = expression.tree
            boxes.add(tree.boxes)
            return .expression(tree.syntax)
        }
        switch placeholder.kind {
        case .signedInteger, .unsignedInteger, .floatingPoint:
            guard PredicateValue(any: value).isNumber else { throw UnsupportedValue(placeholder: placeholder) }
        default: break
        }
        return .constant(boxes.constant(value))
    }
}
