public import Foundation
internal import RuntimeSupport

/// A property whose value is the result of a fetch request. Always transient and read-only.
///
/// ```swift
/// let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
/// request.predicate = NSPredicate(format: "author == $FETCH_SOURCE AND rating == 5")
/// let property = NSFetchedPropertyDescription()
/// property.name = "favorites"
/// property.fetchRequest = request
/// ```
///
/// Mutability and thread rules are those of `NSPropertyDescription`.
open class NSFetchedPropertyDescription: NSPropertyDescription {
    private var request: NSFetchRequest<any NSFetchRequestResult>?
    /// The name of the entity of a copy's request, which is looked up in the model that the copy is added to.
    private var copiedEntity: String?

    /// Creates a fetched property without a request.
    public override init() {
        super.init()
        common.isTransient = true
    }

    /// Creates the property in an archive; see `NSPropertyDescription`.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    /// The request whose results are the value. Its predicate may use `$FETCH_SOURCE`, the object that has the
    /// property, and `$FETCHED_PROPERTY`, this description.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
        get {
            // A model that is in use has looked it up: reading is thread-safe then.
            if let entity = copiedEntity.flatMap({ owner?.model?.entitiesByName[$0] }), request?.entity !== entity {
                request?.settings.modelEntity = entity
            }
            return request
        }
        set {
            willChange()
            request = newValue
            request?.settings.modelEntity = newValue?.entity
            copiedEntity = nil
        }
    }

    /// Sets the request without checking whether the model is in use.
    final func load(request: NSFetchRequest<any NSFetchRequestResult>?) {
        self.request = request
        copiedEntity = nil
    }

    override func makeCopy() -> NSPropertyDescription {
        let copy = NSFetchedPropertyDescription()
        copy.adopt(self)
        copy.copiedEntity = request?.entityName
        return copy
    }

    @discardableResult
    override func adopt(_ other: NSPropertyDescription) -> Bool {
        guard super.adopt(other), let other = other as? NSFetchedPropertyDescription else { return false }
        request = other.request?.copy() as? NSFetchRequest<any NSFetchRequestResult>
        return true
    }
}

/// A computed column of a fetch request: an element of `propertiesToFetch` that is not an attribute. It belongs to no
/// entity.
///
/// ```swift
/// let highest = NSExpressionDescription()
/// highest.name = "highest"
/// highest.expression = NSExpression(format: "max:(rating)")
/// highest.expressionResultType = .integer16AttributeType
/// let request = NSFetchRequest<NSDictionary>(entityName: "Book")
/// request.resultType = .dictionaryResultType
/// request.propertiesToFetch = [highest]
/// ```
open class NSExpressionDescription: NSPropertyDescription {
    /// The expression that computes the value.
    open var expression: NSExpression?

    /// The type of the result. The default is `.undefinedAttributeType`.
    open var expressionResultType = NSAttributeType.undefinedAttributeType

    /// The type of the result, with shorter names.
    public final var resultType: NSAttributeDescription.AttributeType {
        get { NSAttributeDescription.AttributeType(rawValue: expressionResultType.rawValue) }
        set {
            guard let type = NSAttributeType(rawValue: newValue.rawValue) else {
                misuse("NSInvalidArgumentException", "\(newValue.rawValue) is not an attribute type")
            }
            expressionResultType = type
        }
    }

    override func makeCopy() -> NSPropertyDescription {
        let copy = NSExpressionDescription()
        copy.adopt(self)
        return copy
    }

    @discardableResult
    override func adopt(_ other: NSPropertyDescription) -> Bool {
        guard super.adopt(other), let other = other as? NSExpressionDescription else { return false }
        expression = other.expression
        expressionResultType = other.expressionResultType
        return true
    }
}
