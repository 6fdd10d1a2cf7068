internal import Foundation

extension MigrationErrors {
    /// Returns the error for a mapping model that does not fit its models.
    ///
    /// - Parameters:
    ///   - mapping: The entity mapping.
    ///   - property: The property; `nil` if the problem concerns the mapping as a whole.
    static func mapping(
        _ mapping: NSEntityMapping, property: String? = nil, reason: String, help: String,
        code: CocoaError.Code = .migration,
        underlying: (any Error)? = nil
    ) -> NSError {
        let entity = mapping.destinationEntityName ?? mapping.sourceEntityName ?? ""
        var userInfo: [String: Any] = [Key.entity: entity]
        userInfo[Key.property] = property
        userInfo[NSUnderlyingErrorKey] = underlying
        let element = property.map { "“\(entity).\($0)”" } ?? "“\(entity)”"
        return error(
            code, reason: "\(element), in the entity mapping “\(mapping.name ?? "")”: \(reason)", help: help, userInfo)
    }
}
