public import Foundation

/// Details of Core Data errors, from their `userInfo`.
extension CocoaError {
    /// The object that failed validation.
    public var validationObject: Any? { userInfo[NSValidationObjectErrorKey] }

    /// The name of the property that failed validation.
    public var validationKey: String? { userInfo[NSValidationKeyErrorKey] as? String }

    /// The predicate that a value did not meet.
    public var validationPredicate: NSPredicate? { userInfo[NSValidationPredicateErrorKey] as? NSPredicate }

    /// The value that failed validation.
    public var validationValue: Any? { userInfo[NSValidationValueErrorKey] }

    /// The stores that the error is about.
    public var affectedStores: [AnyObject]? { userInfo[NSAffectedStoresErrorKey] as? [AnyObject] }

    /// The objects that the error is about.
    public var affectedObjects: [AnyObject]? { userInfo[NSAffectedObjectsErrorKey] as? [AnyObject] }
}
