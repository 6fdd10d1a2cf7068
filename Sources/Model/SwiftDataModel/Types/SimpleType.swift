internal import ModelSchema
internal import SwiftDataRules
internal import SwiftSources

/// The types of the standard library and Foundation that SwiftData stores as plain attributes
/// (Documentation/Formats/SwiftDataModel.md, 3).
enum SimpleType {
    /// Returns the attribute type for a type of another module, or `nil` if SwiftData does not store it as a plain
    /// attribute.
    static func attributeType(of type: SwiftTypeText) -> AttributeType? {
        guard case .named(let components) = type, components.allSatisfy(\.arguments.isEmpty) else { return nil }
        switch components.count {
        case 1: return SimpleTypes.attributeType(named: components[0].name)
        case 2
        where ["Swift", "Foundation", "CoreGraphics", "CoreFoundation", "CoreLocation", "CoreMedia"].contains(
            components[0].name):
            return SimpleTypes.attributeType(named: components[1].name)
        default: return nil
        }
    }

    /// The stored properties of value types declared by Apple's frameworks, as observed in stores.
    static let frameworkValues: [[String]: [(name: String, type: AttributeType)]] = [
        ["Color", "Resolved"]: ["linearRed", "linearGreen", "linearBlue", "opacity"].map { ($0, .float) }
    ]
}
