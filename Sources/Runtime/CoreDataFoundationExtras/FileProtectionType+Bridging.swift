public import Foundation

/// Allows `FileProtectionType.complete as NSObject`, as options of stores are often written.
extension FileProtectionType: @retroactive _ObjectiveCBridgeable {
    /// Returns the name of the type.
    public func _bridgeToObjectiveC() -> NSString { NSString(string: rawValue) }

    /// Sets the type with a name.
    public static func _forceBridgeFromObjectiveC(_ source: NSString, result: inout FileProtectionType?) {
        result = FileProtectionType(rawValue: source.description)
    }

    /// Sets the type with a name, and returns `true`.
    public static func _conditionallyBridgeFromObjectiveC(
        _ source: NSString, result: inout FileProtectionType?
    ) -> Bool {
        result = FileProtectionType(rawValue: source.description)
        return true
    }

    /// Returns the type with a name.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSString?) -> FileProtectionType {
        FileProtectionType(rawValue: source?.description ?? "")
    }
}
