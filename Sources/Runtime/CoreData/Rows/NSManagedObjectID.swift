internal import CCoreDataSupport
public import Foundation
internal import RuntimeSupport

/// The identity of an object, inside and outside of contexts.
///
/// ```swift
/// let id = book.objectID
/// try await container.performBackgroundTask { context in
///     let book = try context.existingObject(with: id) as? Book
///     book?.rating = 5
///     try context.save()
/// }
/// ```
///
/// An ID is temporary until its object is saved for the first time or `obtainPermanentIDs(for:)` is called, which
/// replaces it. Equal IDs identify the same object in the same store. Immutable and thread-safe.
open class NSManagedObjectID: NSObject, NSCopying, NSFetchRequestResult, @unchecked Sendable {
    /// The reference in an ID, in addition to entity and store.
    package enum Reference: Hashable {
        /// The number of a temporary ID of the process.
        case temporary(UInt64)
        /// A number assigned by the store.
        case number(Int64)
        /// A string assigned by the store.
        indirect case text(String)
        /// Another value assigned by the store.
        indirect case other(AnyHashable)
    }

    // There may be an ID for each object in memory, so the flags are placed in the padding after the reference.
    package final let reference: Reference
    /// Whether the store is notified of which objects contexts use.
    final let isTracked: Bool
    /// Whether the ID was created with `init()` and identifies no object.
    private let isEmpty: Bool
    final let storeIdentity: StoreIdentity?
    private var storeUUID: String { storeIdentity?.uuid ?? "" }

    /// The layout of the entity's objects.
    package final unowned(unsafe) let layout: EntityLayout
    /// The layout, retained; `nil` if the store's identity retains it.
    private let keptLayout: EntityLayout?

    /// The object's entity. Traps if the ID was created with `init()`.
    open var entity: NSEntityDescription {
        if isEmpty { abstractMethod(self, "entity") }
        return layout.entity
    }

    /// Creates an ID that identifies no object and equals no other ID.
    ///
    /// IDs come from objects, coordinators and stores. As with Apple's class, instances can still be created, as
    /// values for tests; accessing their entity or URI traps.
    public override init() {
        reference = .temporary(UInt64(bitPattern: Self.nextTemporaryNumber()))
        let layout = NSEntityDescription().objectLayout()
        self.layout = layout
        keptLayout = layout
        storeIdentity = nil
        isTracked = false
        isEmpty = true
        super.init()
    }

    /// A random number that distinguishes temporary IDs of different processes.
    private static let processPart = UInt64.random(in: .min ... .max)

    /// Creates a temporary ID.
    init(temporary number: UInt64, _ layout: EntityLayout) {
        reference = .temporary(number)
        self.layout = layout
        keptLayout = layout
        storeIdentity = nil
        isTracked = false
        isEmpty = false
        super.init()
    }

    /// Creates a permanent ID.
    ///
    /// - Parameter isTracked: Whether the store is notified of which objects contexts use.
    init(_ reference: Reference, _ layout: EntityLayout, storeIdentity: StoreIdentity, isTracked: Bool) {
        self.reference = reference
        self.layout = layout
        keptLayout = layout
        self.storeIdentity = storeIdentity
        self.isTracked = isTracked
        isEmpty = false
        super.init()
    }

    /// Creates the permanent ID of a row.
    ///
    /// - Parameter layout: A layout of the store's coordinator.
    package init(key: Int64, layout: EntityLayout, storeIdentity: StoreIdentity) {
        reference = .number(key)
        self.layout = layout
        keptLayout = storeIdentity.keepsLayouts ? nil : layout
        self.storeIdentity = storeIdentity
        isTracked = false
        isEmpty = false
        super.init()
    }

    /// Creates a permanent ID with a layout that may be of another model than the store's coordinator.
    init(_ reference: Reference, keeping layout: EntityLayout, storeIdentity: StoreIdentity) {
        self.reference = reference
        self.layout = layout
        keptLayout = layout
        self.storeIdentity = storeIdentity
        isTracked = false
        isEmpty = false
        super.init()
    }

    /// Returns a number that no temporary ID of this process has used yet.
    static func nextTemporaryNumber() -> Int64 { Int64(bitPattern: cd_next_number()) }

    /// The hash of the reference, which is the same for equal IDs.
    final var hashBits: Int {
        switch reference {
        case .number(let number): KeyHash.bits(number)
        case .temporary(let number): KeyHash.bits(Int64(truncatingIfNeeded: number))
        case .text, .other: reference.hashValue
        }
    }

    /// Returns whether the object is a row of a store.
    final func isAt(_ other: Unmanaged<StoreIdentity>) -> Bool {
        storeIdentity.map { Unmanaged.passUnretained($0).toOpaque() } == other.toOpaque()
    }

    /// Returns whether the object is in the same store as another.
    final func isInStore(of other: NSManagedObjectID) -> Bool {
        guard let storeIdentity, let otherIdentity = other.storeIdentity else { return false }
        return storeIdentity === otherIdentity || storeIdentity.owner === otherIdentity.owner
    }

    /// Whether the object has not been saved yet.
    open var isTemporaryID: Bool { if case .temporary = reference { true } else { false } }

    /// Returns the ID as a URI: `x-coredata://STORE/Entity/p1` or `x-coredata:///Entity/tUUID`
    /// (Documentation/Formats/RuntimeBehavior.md, 1.1).
    open func uriRepresentation() -> URL {
        if isEmpty { abstractMethod(self, "uriRepresentation()") }
        let name = entity.name ?? ""
        let text =
            switch reference {
            case .temporary(let number): "x-coredata:///\(name)/t\(Self.uuid(number))"
            case .number(let number): "x-coredata://\(storeUUID)/\(name)/p\(number)"
            case .text(let text): "x-coredata://\(storeUUID)/\(name)/p\(Self.escaped(text))"
            case .other(let value): "x-coredata://\(storeUUID)/\(name)/p\(Self.escaped("\(value.base)"))"
            }
        return URL(string: text) ?? URL(fileURLWithPath: "/")
    }

    private static func uuid(_ number: UInt64) -> String {
        let digits = hexadecimal(processPart) + hexadecimal(number)
        let parts = [8, 4, 4, 4, 12].reduce(into: (rest: Substring(digits), parts: [Substring]())) { state, count in
            state.parts.append(state.rest.prefix(count))
            state.rest = state.rest.dropFirst(count)
        }.parts
        return parts.joined(separator: "-")
    }

    private static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Returns a string in the form used in URIs, escaped so that it does not look like a number.
    private static func escaped(_ text: String) -> String {
        guard Int64(text) == nil else {
            return text.utf8.map { "%" + String($0, radix: 16, uppercase: true) }.joined()
        }
        return text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
    }

    /// Parses the last path component of a permanent ID's URI, such as `p1`.
    static func reference(fromPathComponent text: String) -> Reference? {
        guard text.hasPrefix("p"), text.count > 1 else { return nil }
        let rest = String(text.dropFirst())
        return Int64(rest).map { .number($0) } ?? .text(rest.removingPercentEncoding ?? rest)
    }

    /// Returns the ID itself, which is immutable.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns whether both name the same object.
    open override func isEqual(_ object: Any?) -> Bool {
        if let other = ExactClass.object(object, like: self) {
            return other._withUnsafeGuaranteedRef { isSame(as: $0) }
        }
        guard let other = object as? NSManagedObjectID else { return false }
        return isSame(as: other)
    }

    /// Returns whether both name the same object.
    final func isSame(as other: NSManagedObjectID) -> Bool {
        if self === other { return true }
        switch (reference, other.reference) {
        // The common case, which avoids copying the references.
        case (.number(let one), .number(let two)): guard one == two else { return false }
        default: guard reference == other.reference else { return false }
        }
        // Two rows of a hierarchy never have the same number; those of different hierarchies may.
        return (storeIdentity === other.storeIdentity || storeUUID == other.storeUUID)
            && (layout === other.layout || layout.rootName == other.layout.rootName)
    }

    /// The hash of the reference.
    open override var hash: Int { hashBits }

    /// The ID's URI, for debugging.
    open override var description: String {
        isEmpty ? "<NSManagedObjectID>" : "<\(uriRepresentation().absoluteString)>"
    }
}

extension NSManagedObjectID {
    /// The number that the store has assigned; `nil` for any other reference.
    package final var rowKey: Int64? { if case .number(let key) = reference { key } else { nil } }

    /// A key that sorts the IDs of a store in order of assignment, temporary ones last.
    var creationOrder: (Int, UInt64) {
        switch reference {
        case .number(let number): (0, UInt64(bitPattern: number))
        case .text, .other: (1, 0)
        case .temporary(let number): (2, number)
        }
    }
}
