internal import ModelSchema
internal import PredicateSyntax

extension ModelDecoder {
    /// Reads an attribute's validation predicates (Documentation/Formats/CompiledModel.md, 2.6) as limits and a regular
    /// expression. A source cannot express predicates of another form, or messages of a programmatic model.
    mutating func decodeLimits(of object: ObjectID, into attribute: inout Attribute, path: String) {
        guard let predicates = reader.list(.validationPredicates, of: object) else { return }
        for element in predicates {
            guard let predicate = decodePredicateTree(element) else { continue }
            if !attribute.takeLimit(predicate) {
                let text = PredicatePrinter(numberStyle: .typed).string(for: predicate)
                reader.reporter.unsupported(
                    "the validation “\(text)” of “\(path)” cannot be represented in a model's source")
            }
        }
        if let warnings = reader.list(.validationWarnings, of: object),
            warnings.contains(where: { reader.string($0) != nil })
        {
            reader.reporter.unsupported("the validation messages of “\(path)” cannot be represented in a source")
        }
    }
}
