internal import ModelSchema

extension ModelDecoder {
    /// Reads an attribute (Documentation/Formats/CompiledModel.md, 2.3, 2.4).
    mutating func decodeAttribute(_ object: ObjectID, name: String, entity: String, depth: Int) -> Attribute {
        let number = reader.integer(.attributeType, of: object) ?? 0
        let type = AttributeType(rawValue: number)
        var attribute = Attribute(name: name, type: type ?? .undefined)
        if type == nil {
            attribute.unknownType = String(number)
            reader.reporter.malformed("\(reader.describe(object)): “\(entity).\(name)” has the unknown type \(number)")
        }
        let flags = propertyFlags(of: object)
        attribute.isOptional = flags.contains(.isOptional)
        attribute.isTransient = flags.contains(.isTransient)
        attribute.isIndexed = reader.flag(.isIndexed, of: object)
        let storage = AttributeFlags(rawValue: reader.integer(.attributeFlags, of: object) ?? 0)
        attribute.allowsExternalBinaryStorage = storage.contains(.allowsExternalBinaryStorage)
        attribute.isPreservedAfterDeletion = storage.contains(.isPreservedAfterDeletion)
        attribute.renamingIdentifier = renamingIdentifier(of: object, name: name)
        attribute.versionHashModifier = reader.string(.versionHashModifier, of: object)
        attribute.userInfo = decodeUserInfo(of: object)
        if attribute.type == .transformable {
            attribute.customClassName = reader.string(.valueClassName, of: object)
        }
        attribute.valueTransformerName = reader.string(.valueTransformerName, of: object)
        if let value = reader.object(.defaultValue, of: object) {
            decodeDefault(value, of: &attribute, path: "\(entity).\(name)")
        }
        decodeLimits(of: object, into: &attribute, path: "\(entity).\(name)")
        switch reader.archive.recognizedClass(of: object) {
        case .derivedAttribute: decodeDerivation(of: object, into: &attribute)
        case .compositeAttribute: decodeComposite(object, into: &attribute, path: "\(entity).\(name)", depth: depth)
        default: break
        }
        return attribute
    }

    /// Reads the flags of a property, from its keys and its bit set (Documentation/Formats/CompiledModel.md, 2.3).
    mutating func propertyFlags(of object: ObjectID) -> PropertyFlags {
        var flags = PropertyFlags(rawValue: reader.integer(.propertyFlags, of: object) ?? 0)
        if reader.flag(.isOptional, of: object) { flags.insert(.isOptional) }
        if reader.flag(.isTransient, of: object) { flags.insert(.isTransient) }
        if reader.flag(.isOrdered, of: object) { flags.insert(.isOrdered) }
        return flags
    }

    private mutating func decodeDerivation(of object: ObjectID, into attribute: inout Attribute) {
        attribute.isDerived = true
        if let expression = reader.object(.derivationExpression, of: object) {
            attribute.derivationExpression = decodeDerivation(expression)
        }
        if reader.object(.filteringPredicate, of: object) != nil {
            reader.reporter.unsupported(
                "\(reader.describe(object)): the filter predicate of “\(attribute.name)” cannot be represented in a model's source"
            )
        }
    }

    /// Reads the elements of a composite attribute. An archive does not name the type, so it gets the name of the
    /// attribute.
    private mutating func decodeComposite(
        _ object: ObjectID, into attribute: inout Attribute, path: String, depth: Int
    ) {
        attribute.type = .composite
        guard depth < 16 else {
            reader.reporter.malformed("\(reader.describe(object)): composite attributes are nested too deeply")
            return
        }
        var name = path.split(separator: ".").joined(separator: "_")
        while composites[name] != nil { name += "_" }
        composites[name] = CompositeType(name: name)
        attribute.compositeName = name
        for element in reader.list(.compositeElements, of: object) ?? [] {
            switch reader.archive.recognizedClass(of: element) {
            case .attribute, .derivedAttribute, .compositeAttribute:
                let part = reader.string(.propertyName, of: element) ?? ""
                let decoded = decodeAttribute(element, name: part, entity: path, depth: depth + 1)
                composites[name]?.attributes.append(decoded)
            default: reader.reporter.malformed("\(reader.describe(element)) is not a part of a composite attribute")
            }
        }
    }
}
