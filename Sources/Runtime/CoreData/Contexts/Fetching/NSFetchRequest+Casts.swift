internal import RuntimeSupport

/// Converts a fetch request as `as!` would on Apple's platforms.
infix operator ~>! : CastingPrecedence

/// Converts a fetch request as `as?` would on Apple's platforms.
infix operator ~>? : CastingPrecedence

/// Returns a fetch request with another result type; traps if the value is not a fetch request.
///
/// Swift's generic classes are distinct types, so that `request as! NSFetchRequest<Book>` always fails. modelc's copies
/// of sources have this operator in its place.
///
/// ```swift
/// let books = model.fetchRequestTemplate(forName: "All") ~>! NSFetchRequest<Book>.self
/// ```
///
/// - Returns: The request itself if it has the type, otherwise a copy.
public func ~>! <Result>(request: Any?, type: NSFetchRequest<Result>.Type) -> NSFetchRequest<Result> {
    guard let result = request ~>? type else {
        misuse("NSInvalidArgumentException", "\(request.map { "\($0)" } ?? "nil") is not a fetch request")
    }
    return result
}

/// Returns a fetch request with another result type, or `nil` if the value is not a fetch request.
///
/// - Returns: The request itself if it has the type, otherwise a copy.
public func ~>? <Result>(request: Any?, type: NSFetchRequest<Result>.Type) -> NSFetchRequest<Result>? {
    if let request = request as? NSFetchRequest<Result> { return request }
    guard let settings = (request as? any FetchSettingsProviding)?.settings else { return nil }
    let result = NSFetchRequest<Result>(settings: settings)
    result.affectedStores = (request as? NSPersistentStoreRequest)?.affectedStores
    return result
}
