internal import Foundation
internal import RuntimeSupport

/// The effect of deleting an object on the objects at the other end of a relationship. Raw values equal Apple's.
///
/// ```swift
/// let books = NSRelationshipDescription()
/// books.deleteRule = .cascadeDeleteRule
/// ```
public enum NSDeleteRule: UInt, Sendable {
    /// Nothing happens: the other side may be left with a dangling reference.
    case noActionDeleteRule = 0
    /// The object is removed from the other side's relationship.
    case nullifyDeleteRule = 1
    /// The objects at the other end are deleted too.
    case cascadeDeleteRule = 2
    /// The object cannot be deleted while there are objects at the other end.
    case denyDeleteRule = 3
}

/// A to-one or to-many relationship.
///
/// ```swift
/// let books = NSRelationshipDescription()
/// books.name = "books"
/// books.destinationEntity = book.entity
/// books.maxCount = 0  // to-many
/// books.deleteRule = .cascadeDeleteRule
/// ```
///
/// Mutability and thread rules are those of `NSPropertyDescription`. The destination entity and the inverse are not
/// retained; their model retains them.
open class NSRelationshipDescription: NSPropertyDescription {
    @WeakLink private var destination: NSEntityDescription?
    private weak var inverse: NSRelationshipDescription?
    /// The names of a copy's ends, until they are set: the ends are looked up in the model and the entity that the copy
    /// is added to.
    private var (copiedDestination, copiedInverse): (String?, String?)
    private var settings = Settings()

    /// The settings of a relationship other than its links and those that all properties share.
    struct Settings {
        var minCount = 0
        var maxCount = 1
        var deleteRule = NSDeleteRule.nullifyDeleteRule
        var isOrdered = false
    }

    /// The relationship-specific settings. Setting them does not check whether the model is in use.
    final var relationshipSettings: Settings {
        get { settings }
        set { settings = newValue }
    }

    /// Sets the links without checking whether the model is in use.
    final func load(destination: NSEntityDescription?, inverse: NSRelationshipDescription?) {
        self.destination = destination
        self.inverse = inverse
        (copiedDestination, copiedInverse) = (nil, nil)
    }

    private final func change<Value>(_ keyPath: WritableKeyPath<Settings, Value>, to value: Value) {
        willChange()
        settings[keyPath: keyPath] = value
    }

    /// The entity at the other end. For a copy, until it is set, the entity with the same name in the copy's model, or
    /// else the original's.
    open var destinationEntity: NSEntityDescription? {
        get { copiedDestination.flatMap { owner?.model?.entitiesByName[$0] } ?? destination }
        set {
            willChange()
            destination = newValue
            copiedDestination = nil
        }
    }

    /// The inverse relationship. Set it on both sides. For a copy, until it is set, the relationship with the same name
    /// in the destination entity, or else the original's.
    open var inverseRelationship: NSRelationshipDescription? {
        get {
            copiedInverse.flatMap { destinationEntity?.propertiesByName[$0] as? NSRelationshipDescription } ?? inverse
        }
        set {
            willChange()
            inverse = newValue
            copiedInverse = nil
        }
    }

    /// The maximum count: 1 for a to-one relationship, 0 for no limit. The default is 1.
    open var maxCount: Int {
        get { settings.maxCount }
        set { change(\.maxCount, to: newValue) }
    }

    /// The minimum count, which applies only if the relationship is required or not empty. The default is 0.
    open var minCount: Int {
        get { settings.minCount }
        set { change(\.minCount, to: newValue) }
    }

    /// The effect of deleting an object on the objects at the other end. The default is `.nullifyDeleteRule`.
    open var deleteRule: NSDeleteRule {
        get { settings.deleteRule }
        set { change(\.deleteRule, to: newValue) }
    }

    /// Whether the relationship can contain more than one object: its maximum count is not 1.
    open var isToMany: Bool { settings.maxCount != 1 }

    /// Whether a to-many relationship is ordered. The default is `false`.
    open var isOrdered: Bool {
        get { settings.isOrdered }
        set { change(\.isOrdered, to: newValue) }
    }

    override func makeCopy() -> NSPropertyDescription {
        let copy = NSRelationshipDescription()
        copy.adopt(self)
        (copy.copiedDestination, copy.copiedInverse) = (destinationEntity?.name, inverseRelationship?.name)
        return copy
    }

    @discardableResult
    override func adopt(_ other: NSPropertyDescription) -> Bool {
        guard super.adopt(other), let other = other as? NSRelationshipDescription else { return false }
        settings = other.settings
        destination = other.destinationEntity
        inverse = other.inverseRelationship
        return true
    }

    /// The kind, name and ends, for debugging.
    open override var description: String {
        super.description + ", destination entity \(destinationEntity?.name ?? "(null)"), "
            + "inverseRelationship \(inverseRelationship?.name ?? "(null)"), minCount \(minCount), maxCount \(maxCount), "
            + "isOrdered \(isOrdered ? 1 : 0), deleteRule \(deleteRule.rawValue)"
    }
}
