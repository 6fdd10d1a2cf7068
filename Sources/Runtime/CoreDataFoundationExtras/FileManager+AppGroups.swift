public import Foundation

extension FileManager {
    /// Returns `nil`: programs on Linux belong to no app groups.
    ///
    /// On Apple's platforms, the folder that the apps of a group share, and `nil` without the entitlement.
    public func containerURL(forSecurityApplicationGroupIdentifier groupIdentifier: String) -> URL? { nil }
}
