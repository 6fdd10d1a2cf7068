internal import Diagnostics
internal import ModelSchema
internal import PredicateSyntax

extension ModelEncoder {
    /// Writes an attribute (Documentation/Formats/CompiledModel.md, 2.3, 2.4).
    mutating func encode(
        _ attribute: Attribute, of entity: String, _ owner: Reference, isIndexed: Bool, depth: Int = 0
    ) -> Reference {
        var common = CommonValues(
            name: attribute.name, owner: owner, isOptional: attribute.isOptional, userInfo: attribute.userInfo)
        common.isTransient = attribute.isTransient
        common.isReadOnly = attribute.isDerived
        common.renamingIdentifier = attribute.renamingIdentifier
        common.versionHashModifier = attribute.versionHashModifier
        encodeLimits(of: attribute, into: &common)
        var flags: AttributeFlags = []
        if attribute.allowsExternalBinaryStorage { flags.insert(.allowsExternalBinaryStorage) }
        if attribute.isPreservedAfterDeletion { flags.insert(.isPreservedAfterDeletion) }
        let unknownFlags = [
            (attribute.allowsCloudEncryption, "allowsCloudEncryption", "Allows Cloud Encryption"),
            (attribute.isIndexedBySpotlight, "spotlightIndexingEnabled", "Index in Spotlight"),
            (attribute.isStoredInTruthFile, "storedInTruthFile", "Store in External Record File"),
        ]
        for (isSet, name, meaning) in unknownFlags where isSet {
            report(
                warning: .lostWhenCompiled, "the flag “\(meaning)” of “\(entity).\(attribute.name)” is not compiled",
                at: attribute.origin, attribute: name, why: "Apple's encoding of it is unknown.")
        }
        var values = encode(common)
        let defaultValue = attribute.isDerived ? .null : encodeDefault(of: attribute, entity: entity)
        values += [
            (.attributeType, .integer(attribute.type.rawValue)),
            (.valueClassName, .reference(builder.add(attribute.valueClassName))),
            (.defaultValue, .reference(defaultValue)),
            (.valueTransformerName, .reference(builder.add(attribute.valueTransformerName))),
            (.attributeFlags, .integer(flags.rawValue)),
        ]
        if attribute.isIndexed || isIndexed { values.append((.isIndexed, .boolean(true))) }
        if attribute.isDerived {
            values.append((.derivationExpression, .reference(encodeDerivation(of: attribute, entity: entity))))
            values.append((.filteringPredicate, .reference(.null)))
            return builder.add(.derivedAttribute, values)
        }
        guard attribute.type == .composite else { return builder.add(.attribute, values) }
        values.append(
            (.compositeElements, .reference(encodeElements(of: attribute, entity: entity, owner, depth: depth))))
        return builder.add(.compositeAttribute, values)
    }

    private mutating func encodeDerivation(of attribute: Attribute, entity: String) -> Reference {
        guard let text = attribute.derivationExpression.nonEmpty else { return .null }
        do {
            return encode(derivation: try PredicateParser.parseExpression(text), at: attribute.origin)
        } catch {
            findings.append(
                .invalidDerivation(text, of: attribute, in: entity, error.message, column: error.column))
            return .null
        }
    }

    /// Writes the elements of a composite attribute (Documentation/Formats/CompiledModel.md, 2.4).
    private mutating func encodeElements(
        of attribute: Attribute, entity: String, _ owner: Reference, depth: Int
    ) -> Reference {
        let name = attribute.compositeName ?? ""
        guard depth < Attribute.maximumCompositeDepth, let type = model.composites.first(where: { $0.name == name })
        else {
            report(
                error: .unknownComposite,
                depth < Attribute.maximumCompositeDepth
                    ? "the composite type “\(name)” of “\(entity).\(attribute.name)” is not in the model"
                    : "the composite type “\(name)” of “\(entity).\(attribute.name)” contains itself",
                at: attribute.origin, attribute: "composite")
            return .null
        }
        var elements: [Reference] = []
        // Types that contain each other several times could expand to any size.
        for part in type.attributes where findings.count < 1000 {
            compositePartBudget -= 1
            if compositePartBudget < 0 {
                report(
                    error: .unknownComposite,
                    "the composite type “\(name)” of “\(entity).\(attribute.name)” has too many elements",
                    at: attribute.origin, attribute: "composite")
                break
            }
            elements.append(
                encode(part, of: "\(entity).\(attribute.name)", owner, isIndexed: false, depth: depth + 1))
        }
        return builder.add(.array, elements: elements)
    }
}

extension Attribute {
    /// The name of the values' class in an archive (Documentation/Formats/CompiledModel.md, 2.4).
    fileprivate var valueClassName: String? {
        switch type {
        case .undefined, .objectID: nil
        case .integer16, .integer32, .integer64, .double, .float, .boolean: "NSNumber"
        case .decimal: "NSDecimalNumber"
        case .string: "NSString"
        case .date: "NSDate"
        case .binary: "NSData"
        case .uuid: "NSUUID"
        case .uri: "NSURL"
        case .transformable: customClassName.nonEmpty
        case .composite: "NSDictionary"
        }
    }
}
