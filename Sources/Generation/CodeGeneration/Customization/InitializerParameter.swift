internal import ModelSchema

/// A parameter of the initializer that takes an object's values.
struct InitializerParameter {
    /// The name of the property.
    var name: String
    var type: String
    var defaultArgument: String?
    /// Whether the property is set only if the argument is not `nil`.
    var isOptional: Bool
    /// The throwing function that sets the value; `nil` for a property.
    var setterName: String?

    /// Creates the parameter of an attribute; `nil` for an attribute that an initializer does not set.
    init?(_ text: AttributeText) {
        let attribute = text.attribute
        guard !attribute.isTransient, !text.customization.isReadOnly else { return nil }
        if case .codable(let codable) = text.customization.accessor, codable.errors == .throw {
            setterName = "set" + attribute.name.prefix(1).uppercased() + attribute.name.dropFirst()
        }
        let type = text.propertyType.hasSuffix("?") ? String(text.propertyType.dropLast()) : text.propertyType
        name = attribute.name
        if case .raw(let raw) = text.customization.accessor, let fallback = raw.fallback, !raw.isOptional,
            attribute.defaultValue == fallback
        {
            self.type = type
            defaultArgument = ".\(fallback)"
            isOptional = false
        } else if attribute.isOptional || attribute.hasDefaultValue {
            self.type = "\(type)?"
            defaultArgument = "nil"
            isOptional = true
        } else {
            self.type = type
            isOptional = false
        }
    }

    /// Creates the parameter of a required to-one relationship; `nil` for any other.
    init?(_ relationship: Relationship, className: String) {
        guard !relationship.isToMany, !relationship.isOptional, !relationship.isTransient else { return nil }
        name = relationship.name
        type = className
        isOptional = false
    }

    /// Whether callers must pass an argument.
    var isRequired: Bool { defaultArgument == nil }
}
