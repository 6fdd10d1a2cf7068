internal import ModelSchema

extension ModelEncoder {
    /// Writes the limits of an attribute as validation predicates (Documentation/Formats/CompiledModel.md, 2.6).
    mutating func encodeLimits(of attribute: Attribute, into common: inout CommonValues) {
        for validation in attribute.validations {
            common.predicates.append(encode(validation.predicate, at: attribute.origin))
            common.warnings.append(validation.errorCode)
        }
    }
}
