internal import RuntimeSupport

/// The name of a method, for APIs that take a selector.
///
/// ```swift
/// let byTitle = NSSortDescriptor(key: "title", ascending: true, selector: Selector("localizedStandardCompare:"))
/// let byName = NSSortDescriptor(key: "name", ascending: true, selector: .localizedStandardCompare)
/// ```
///
/// `#selector` needs the Objective-C runtime and does not compile on Linux; the comparison selectors of strings are
/// static members: `.localizedStandardCompare` stands for `#selector(NSString.localizedStandardCompare(_:))`. A
/// selector that is to be called carries the method:
///
/// ```swift
/// final class Saves {
///     func didSave(_ notification: Notification) {}
/// }
/// let didSave = Selector("didSave:", calling: Saves.didSave(_:))
/// ```
///
/// Selectors with the same name are equal.
public struct Selector: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    private let name: String
    private let method: Method?

    /// Creates a selector from the name of a method, with a colon for each argument.
    public init(_ str: String) {
        name = str
        method = nil
    }

    /// Creates a selector from the name of a method, with a colon for each argument.
    public init(stringLiteral value: String) {
        name = value
        method = nil
    }

    /// The name of the method.
    public var description: String { name }

    // MARK: Methods

    /// A method of a class, called as the Objective-C runtime calls it: on the current thread, regardless of its
    /// isolation.
    private final class Method: @unchecked Sendable {
        /// Calls the method of an object; returns `nil` if the object or the argument is of another class.
        let call: (_ target: AnyObject, _ argument: Any?) -> CallResult?

        init(_ call: @escaping (AnyObject, Any?) -> CallResult?) {
            self.call = call
        }
    }

    /// What a method has returned.
    private struct CallResult {
        let value: Any?
    }

    private init(_ name: String, arity: Int, _ call: @escaping (AnyObject, Any?) -> CallResult?) {
        self.name = name.contains(":") ? name : name + String(repeating: ":", count: arity)
        method = Method(call)
    }

    /// Creates a selector that calls a method without arguments.
    ///
    /// - Parameters:
    ///   - name: The method's name in Objective-C.
    ///   - method: The method, as a member of its class: `Library.reload`.
    public init<Target: AnyObject, Result>(_ name: String, calling method: @escaping (Target) -> () -> Result) {
        self.init(name, arity: 0) { target, _ in
            (target as? Target).map { CallResult(value: method($0)()) }
        }
    }

    /// Creates a selector that calls a method with one argument, such as the notification.
    ///
    /// - Parameters:
    ///   - name: The method's name in Objective-C.
    ///   - method: The method, as a member of its class: `Library.contextDidSave(_:)`.
    public init<Target: AnyObject, Argument, Result>(
        _ name: String, calling method: @escaping (Target) -> (Argument) -> Result
    ) {
        self.init(name, arity: 1) { target, argument in
            guard let target = target as? Target, let argument = argument as? Argument else { return nil }
            return CallResult(value: method(target)(argument))
        }
    }

    /// Creates a selector that calls a method of the main actor without arguments.
    @_disfavoredOverload
    public init<Target: AnyObject, Result>(
        _ name: String, calling method: @escaping (Target) -> @MainActor () -> Result
    ) {
        self.init(name, calling: unsafeBitCast(method, to: ((Target) -> () -> Result).self))
    }

    /// Creates a selector that calls a method of the main actor with one argument.
    @_disfavoredOverload
    public init<Target: AnyObject, Argument, Result>(
        _ name: String, calling method: @escaping (Target) -> @MainActor (Argument) -> Result
    ) {
        self.init(name, calling: unsafeBitCast(method, to: ((Target) -> (Argument) -> Result).self))
    }

    /// Traps if the selector is only a name.
    func requireMethod() {
        guard method == nil else { return }
        misuse(
            "NSInvalidArgumentException",
            "the selector “\(name)” is only a name, and methods cannot be found by name without Objective-C; write "
                + "Selector(\"\(name)\", calling: Class.method)")
    }

    /// Calls the method of an object. Traps if the object does not have it, or the argument is of another type.
    @discardableResult func perform(on target: AnyObject, with argument: Any?) -> Any? {
        requireMethod()
        guard let result = method?.call(target, argument) else {
            misuse(
                "NSInvalidArgumentException", "-[\(type(of: target)) \(name)]: unrecognized selector sent to instance")
        }
        return result.value
    }

    /// Returns whether two selectors have the same name.
    public static func == (left: Selector, right: Selector) -> Bool { left.name == right.name }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
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
