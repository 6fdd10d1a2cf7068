internal import Foundation

/// The entity of objects that were created without one.
final class MissingEntity: NSEntityDescription, @unchecked Sendable {}
