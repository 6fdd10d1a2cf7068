// Predicates may also read descriptions: `entity.name == "Book"` of objects, `$FETCHED_PROPERTY.userInfo.key` in the
// predicate of a fetched property (Documentation/Formats/RuntimeBehavior.md, 5.3).

extension NSEntityDescription: KeyValueReadable {
    /// Returns the value of a property of the description. Traps on an unknown key.
    public func value(forKey key: String) -> Any? {
        switch key {
        case "self": self
        case "name": name
        case "managedObjectClassName": managedObjectClassName
        case "isAbstract", "abstract": isAbstract
        case "superentity": superentity
        case "subentities": subentities
        case "subentitiesByName": subentitiesByName
        case "properties": properties
        case "propertiesByName": propertiesByName
        case "attributesByName": attributesByName
        case "relationshipsByName": relationshipsByName
        case "userInfo": userInfo
        case "versionHash": versionHash
        case "renamingIdentifier": renamingIdentifier
        default: misuseOfUndefinedKey(key, type: "\(type(of: self))", description: "entity \(name ?? "")")
        }
    }
}

extension NSPropertyDescription: KeyValueReadable {
    /// Returns the value of a property of the description. Traps on an unknown key.
    public func value(forKey key: String) -> Any? {
        switch key {
        case "self": self
        case "name": name
        case "entity": entity
        case "isOptional", "optional": isOptional
        case "isTransient", "transient": isTransient
        case "userInfo": userInfo
        case "versionHash": versionHash
        case "renamingIdentifier": renamingIdentifier
        default: misuseOfUndefinedKey(key, type: "\(type(of: self))", description: "property \(name)")
        }
    }
}
