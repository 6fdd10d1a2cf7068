internal import SwiftSources

/// Optional requirements of protocols, which need the Objective-C runtime: in copies they have default implementations.
enum OptionalRequirements {
    /// The methods of the runtime's protocols that are optional in Apple's.
    static let ofRuntime: Set<String> = [
        "controller", "controllerDidChangeContent", "controllerWillChangeContent",
    ]

    /// Returns whether the copy can have a default implementation: of a method without result, in one line.
    static func canDefault(_ requirement: SwiftFile.OptionalRequirement, in source: ManagedSource) -> Bool {
        guard requirement.method != nil, requirement.isVoid else { return false }
        let text = source.text(requirement.declaration)
        return !text.contains("//") && !text.contains("/*")
    }
}
