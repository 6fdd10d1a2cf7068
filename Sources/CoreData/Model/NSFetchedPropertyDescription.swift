public import Foundation

/// A property whose value is the result of a fetch request. Always transient and read-only.
///
/// What `NSPropertyDescription` says of changes and threads holds here too.
open class NSFetchedPropertyDescription: NSPropertyDescription {
    private var request: NSFetchRequest<any NSFetchRequestResult>?

    /// Makes a fetched property without a request.
    public override init() {
        super.init()
        common.isTransient = true
    }

    /// Creates the property in an archive; see `NSPropertyDescription`.
    public required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    /// The request that gives the value. Its predicate may use `$FETCH_SOURCE`, the object that has the property, and
    /// `$FETCHED_PROPERTY`, this description.
    open var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
        get { request }
        set {
            willChange()
            request = newValue
            request?.settings.modelEntity = newValue?.entity
        }
    }

    /// Sets the request without a look at whether the model is in use.
    final func load(request: NSFetchRequest<any NSFetchRequestResult>?) {
        self.request = request
    }

    override func makeCopy() -> NSPropertyDescription {
        let copy = NSFetchedPropertyDescription()
        copy.adopt(self)
        return copy
    }

    @discardableResult
    override func adopt(_ other: NSPropertyDescription) -> Bool {
        guard super.adopt(other), let other = other as? NSFetchedPropertyDescription else { return false }
        request = other.request?.copy() as? NSFetchRequest<any NSFetchRequestResult>
        return true
    }
}

/// A column that a fetch request computes: `propertiesToFetch` of requests for dictionaries takes it beside attributes. It
/// is in no entity.
open class NSExpressionDescription: NSPropertyDescription {
    /// What is computed.
    open var expression: NSExpression?

    /// The type of the result. `.undefinedAttributeType` unless set.
    open var expressionResultType = NSAttributeType.undefinedAttributeType

    /// The type of the result, in the short names of newer code.
    public final var resultType: NSAttributeDescription.AttributeType {
        get { NSAttributeDescription.AttributeType(rawValue: expressionResultType.rawValue) }
        set {
            guard let type = NSAttributeType(rawValue: newValue.rawValue) else {
                misuse("NSInvalidArgumentException", "\(newValue.rawValue) is no type of attributes")
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
