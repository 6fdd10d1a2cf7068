internal import ModelSchema

extension ModelDecoder {
    /// Reads a fetched property (Documentation/Formats/CompiledModel.md, 2.5).
    mutating func decodeFetchedProperty(_ object: ObjectID, name: String) -> FetchedProperty {
        var property = FetchedProperty(name: name)
        property.isOptional = propertyFlags(of: object).contains(.isOptional)
        property.renamingIdentifier = renamingIdentifier(of: object, name: name)
        property.versionHashModifier = reader.string(.versionHashModifier, of: object)
        property.userInfo = decodeUserInfo(of: object)
        if let request = reader.object(.fetchRequest, of: object) {
            // The name of the request is not archived; this is Xcode's (Documentation/Formats/ModelSource.md, 2.5).
            property.fetchRequest = decodeFetchRequest(request, name: "fetchedPropertyFetchRequest")
            if property.fetchRequest?.entityName == nil {
                property.fetchRequest?.entityName = reader.string(.fetchRequestEntityName, of: object)
            }
        }
        return property
    }

    /// Reads a fetch request (Documentation/Formats/CompiledModel.md, 2.7); `nil` if the object is something else.
    mutating func decodeFetchRequest(_ object: ObjectID, name: String) -> FetchRequestTemplate? {
        guard reader.archive.recognizedClass(of: object) == .fetchRequest else {
            reader.reporter.malformed(
                "the fetch request “\(name)” is \(reader.describe(object)), which is not a fetch request")
            return nil
        }
        reader.reportUnknownKeys(of: object)
        let entity = reader.object(.entity, of: object)
        var request = FetchRequestTemplate(
            name: name, entityName: entity.flatMap { entityNames[$0] ?? reader.string(.entityName, of: $0) })
        if let predicate = reader.object(.predicate, of: object) { request.predicate = decodePredicate(predicate) }
        request.fetchLimit = nonZero(.fetchLimit, of: object)
        request.fetchBatchSize = nonZero(.batchSize, of: object)
        request.resultType = nonZero(.resultType, of: object)
        decodeFlags(of: object, into: &request)
        for key in [
            ArchiveKey.sortDescriptors, .valuesToFetch, .havingPredicate, .valuesToGroupBy, .prefetchedKeyPaths,
        ] {
            if reader.object(key, of: object) != nil {
                reader.reporter.unsupported(
                    "\(reader.describe(object)): \(key.rawValue) cannot be represented in a model's source")
            }
        }
        return request
    }

    private mutating func nonZero(_ key: ArchiveKey, of object: ObjectID) -> Int? {
        reader.integer(key, of: object).flatMap { $0 == 0 ? nil : $0 }
    }

    /// Sets the flags that differ from their defaults.
    private mutating func decodeFlags(of object: ObjectID, into request: inout FetchRequestTemplate) {
        guard let number = reader.integer(.fetchRequestFlags, of: object) else { return }
        let flags = FetchRequestFlags(rawValue: number)
        let standard = FetchRequestFlags.standard(resultType: request.resultType ?? 0)
        func value(_ flag: FetchRequestFlags) -> Bool? {
            flags.contains(flag) == standard.contains(flag) ? nil : flags.contains(flag)
        }
        request.returnsDistinctResults = value(.returnsDistinctResults)
        request.includesSubentities = value(.includesSubentities)
        request.includesPropertyValues = value(.includesPropertyValues)
        request.returnsObjectsAsFaults = value(.returnsObjectsAsFaults)
        request.includesPendingChanges = value(.includesPendingChanges)
    }
}
