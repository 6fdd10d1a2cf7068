import Testing

@testable import CoreData

/// Internals: key paths that do not refer to a property trap where Apple's API accepts them.
@Suite struct KeyPathInsideTests {
    /// Properties computed from others are not in the model.
    @Test func computedPropertiesHaveNoKey() throws {
        let coordinator = try Volume.coordinator()
        let keyPaths: [AnyKeyPath] = [
            \Volume.loudTitle, \Volume.isLong, \Volume.knownAuthorName, \Volume.title?.count, \Volume.constant,
            \Volume.copies, \NSObject.hash, \String.count,
        ]
        for keyPath in keyPaths { #expect(PropertyKeyPath.property(of: keyPath) == nil, "\(keyPath)") }
        #expect(PropertyKeyPath.property(of: \Volume.title as AnyKeyPath) == "title")
        withExtendedLifetime(coordinator) {}
    }
}
