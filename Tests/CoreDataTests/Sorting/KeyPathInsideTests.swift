import Testing

@testable import CoreData

/// Reaches inside: key paths that lead to no property trap where Apple's API takes them.
@Suite struct KeyPathInsideTests {
    /// A property that is computed of others is not in the model.
    @Test func computedProperties() throws {
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
