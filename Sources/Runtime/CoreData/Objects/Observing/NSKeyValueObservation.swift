public import Foundation

/// The values that an observer receives. Raw values equal Foundation's on Apple's platforms.
///
/// ```swift
/// let observation = book.observe(\.title, options: [.old, .new]) { _, change in
///     print(change.oldValue ?? nil, change.newValue ?? nil)
/// }
/// ```
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    /// The bits of the option set.
    public let rawValue: UInt

    /// Creates an option set from its bits.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// The change includes the new value.
    public static let new = NSKeyValueObservingOptions(rawValue: 1)
    /// The change includes the old value.
    public static let old = NSKeyValueObservingOptions(rawValue: 2)
    /// The observer is called once before `observe` returns.
    public static let initial = NSKeyValueObservingOptions(rawValue: 4)
    /// The observer is also called before each change.
    public static let prior = NSKeyValueObservingOptions(rawValue: 8)
}

/// The kind of an observed change.
///
/// ```swift
/// func isReplacement(_ kind: NSKeyValueChange) -> Bool { kind == .setting || kind == .replacement }
/// ```
public enum NSKeyValueChange: UInt, Sendable {
    /// The property was set.
    case setting = 1
    /// Objects were added to a to-many relationship.
    case insertion = 2
    /// Objects were removed from a to-many relationship.
    case removal = 3
    /// Objects of an ordered to-many relationship were replaced.
    case replacement = 4
}

/// The kind of a mutation of a set, for `willChangeValue(forKey:withSetMutation:using:)`.
///
/// ```swift
/// author.willChangeValue(forKey: "books", withSetMutation: .union, using: [book])
/// author.didChangeValue(forKey: "books", withSetMutation: .union, using: [book])
/// ```
public enum NSKeyValueSetMutationKind: UInt, Sendable {
    /// Objects are added.
    case union = 1
    /// Objects are removed.
    case minus = 2
    /// All objects except the given ones are removed.
    case intersect = 3
    /// All objects are replaced.
    case set = 4
}

/// A change of an observed property.
///
/// ```swift
/// func describe(_ change: NSKeyValueObservedChange<String?>) -> String {
///     "\(change.oldValue ?? nil ?? "nil") -> \(change.newValue ?? nil ?? "nil")"
/// }
/// ```
public struct NSKeyValueObservedChange<Value> {
    /// The kind of a change.
    public typealias Kind = NSKeyValueChange

    /// The kind of the change.
    public let kind: Kind
    /// The new value if requested. If objects were added to a to-many relationship, only those objects.
    public let newValue: Value?
    /// The old value if requested. If objects were removed from a to-many relationship, only those objects.
    public let oldValue: Value?
    /// The indexes of the objects that were added to or removed from an ordered relationship.
    public let indexes: IndexSet?
    /// Whether the observer is called before the change.
    public let isPrior: Bool
}

/// An observation, which ends when it is released or `invalidate()` is called.
///
/// ```swift
/// let observation = book.observe(\.title) { book, _ in print(book.title ?? "untitled") }
/// book.title = "Lady Susan"  // prints Lady Susan
/// observation.invalidate()
/// ```
///
/// Use it on the queue of the observed object's context.
public final class NSKeyValueObservation: NSObject {
    private var end: (() -> Void)?

    /// - Parameter end: Ends the observation; called once.
    init(end: @escaping () -> Void) {
        self.end = end
        super.init()
    }

    convenience init(_ observation: KeyPathObservation) {
        self.init { observation.end() }
    }

    deinit {
        end?()
    }

    /// Ends the observation. Further calls have no effect.
    public func invalidate() {
        end?()
        end = nil
    }
}
