/// The name of a method, for API that takes one.
///
/// ```swift
/// let byTitle = NSSortDescriptor(key: "title", ascending: true, selector: Selector("localizedStandardCompare:"))
/// let byName = NSSortDescriptor(key: "name", ascending: true, selector: .localizedStandardCompare)
/// ```
///
/// `#selector` needs the Objective-C runtime and does not compile on Linux; the comparison selectors of strings are members:
/// `.localizedStandardCompare` stands for `#selector(NSString.localizedStandardCompare(_:))`.
public struct Selector: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    private let name: String

    /// Names a method, with a colon for each argument.
    public init(_ str: String) {
        name = str
    }

    /// Names a method, with a colon for each argument.
    public init(stringLiteral value: String) {
        name = value
    }

    /// The name.
    public var description: String { name }
}

extension Selector {
    /// By value: texts by their characters, numbers and dates by their size.
    public static let compare: Selector = "compare:"
    /// Texts, without regard to upper and lower case.
    public static let caseInsensitiveCompare: Selector = "caseInsensitiveCompare:"
    /// Texts, by the rules of the user's language.
    public static let localizedCompare: Selector = "localizedCompare:"
    /// Texts, by the rules of the user's language, without regard to upper and lower case.
    public static let localizedCaseInsensitiveCompare: Selector = "localizedCaseInsensitiveCompare:"
    /// Texts, as file managers sort them: by the rules of the user's language, numbers by their size.
    public static let localizedStandardCompare: Selector = "localizedStandardCompare:"
}

/// Returns the name of a method, as text.
public func NSStringFromSelector(_ aSelector: Selector) -> String { aSelector.description }

/// Returns a method by its name.
public func NSSelectorFromString(_ aSelectorName: String) -> Selector { Selector(aSelectorName) }
