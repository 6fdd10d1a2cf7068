/// The name of a method, for APIs that take a selector.
///
/// ```swift
/// let byTitle = NSSortDescriptor(key: "title", ascending: true, selector: Selector("localizedStandardCompare:"))
/// let byName = NSSortDescriptor(key: "name", ascending: true, selector: .localizedStandardCompare)
/// ```
///
/// `#selector` needs the Objective-C runtime and does not compile on Linux; the comparison selectors of strings are
/// static members: `.localizedStandardCompare` stands for `#selector(NSString.localizedStandardCompare(_:))`.
public struct Selector: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    private let name: String

    /// Creates a selector from the name of a method, with a colon for each argument.
    public init(_ str: String) {
        name = str
    }

    /// Creates a selector from the name of a method, with a colon for each argument.
    public init(stringLiteral value: String) {
        name = value
    }

    /// The name of the method.
    public var description: String { name }
}

extension Selector {
    /// Compares values: strings by their characters, numbers and dates by their magnitude.
    public static let compare: Selector = "compare:"
    /// Compares strings, ignoring case.
    public static let caseInsensitiveCompare: Selector = "caseInsensitiveCompare:"
    /// Compares strings by the rules of the user's language.
    public static let localizedCompare: Selector = "localizedCompare:"
    /// Compares strings by the rules of the user's language, ignoring case.
    public static let localizedCaseInsensitiveCompare: Selector = "localizedCaseInsensitiveCompare:"
    /// Compares strings as file managers sort them: by the rules of the user's language, with numbers in numeric order.
    public static let localizedStandardCompare: Selector = "localizedStandardCompare:"
}

/// Returns the name of a selector as a string.
public func NSStringFromSelector(_ aSelector: Selector) -> String { aSelector.description }

/// Returns the selector with a name.
public func NSSelectorFromString(_ aSelectorName: String) -> Selector { Selector(aSelectorName) }
