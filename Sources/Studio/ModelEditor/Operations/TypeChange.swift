internal import ModelSchema
internal import ModelSource

/// The changes that follow from a new type of an attribute.
struct TypeChange {
    /// The type before the change.
    let oldType: String

    private static let fractions: Set = ["Double", "Float", "Decimal"]

    init(from oldType: String) { self.oldType = oldType }

    /// Removes what the new type does not have, and sets what it needs. Values that are valid for both types stay, and
    /// what two types of numbers have in common stays absent if it was.
    func apply(to node: inout XMLNode) {
        let type = node["attributeType"] ?? "Undefined"
        for field in InspectorVocabulary.fields(of: "attribute")
        where !field.types.isEmpty && !field.types.contains(type) {
            node.setValue(nil, for: field.attribute)
        }
        for limit in ["minValueString", "maxValueString"] {
            if let text = node[limit], !Self.isValid(text, type) { node.setValue(nil, for: limit) }
        }
        let value = node["defaultValueString"]
        let isScalar = node["usesScalarValueType"]
        let isKept = Self.isNumber(oldType) && Self.isNumber(type)
        TreeEditor.setTypeDefaults(type, &node)
        if let value {
            if Self.isValid(value, type) { node.setValue(value, for: "defaultValueString") }
        } else if isKept {
            node.setValue(nil, for: "defaultValueString")
        }
        let hasFlag = InspectorVocabulary.types(of: "usesScalarValueType").contains(oldType)
        if isKept, hasFlag, InspectorVocabulary.types(of: "usesScalarValueType").contains(type) {
            node.setValue(isScalar, for: "usesScalarValueType")
        }
    }

    private static func isNumber(_ type: String) -> Bool { integerRange(type) != nil || fractions.contains(type) }

    private static func integerRange(_ type: String) -> ClosedRange<Int64>? {
        AttributeType(xmlValue: type)?.integerRange
    }

    private static func isValid(_ text: String, _ type: String) -> Bool {
        if let range = integerRange(type) { return Int64(text).map(range.contains) ?? false }
        if fractions.contains(type) { return Double(text) != nil }
        switch type {
        case "Boolean": return ["YES", "NO"].contains(text)
        case "String", "URI": return true
        default: return false
        }
    }
}
