import CoreData
import Foundation
import Testing

/// Version hashes of models created in code, compared with Apple's hashes (Documentation/Formats/VersionHashes.md, 6).
@Suite struct VersionHashTests {
    private static func hex(_ data: Data) -> String { data.map { String(format: "%02x", $0) }.joined() }

    /// Returns a model with `User`, which has `name` (required) and `petName` (optional), and whose hashes are known.
    private static func userModel() -> NSManagedObjectModel {
        let name = NSAttributeDescription()
        name.name = "name"
        name.attributeType = .stringAttributeType
        name.isOptional = false
        let petName = NSAttributeDescription()
        petName.name = "petName"
        petName.type = .string
        let user = NSEntityDescription()
        user.name = "User"
        user.properties = [petName, name]
        let model = NSManagedObjectModel()
        model.entities = [user]
        return model
    }

    @Test func hashesMatchApples() throws {
        let model = Self.userModel()
        let user = try #require(model.entitiesByName["User"])
        #expect(Self.hex(user.versionHash) == "6b31f4e97b691d16c4c820bae55f89408d47013bd42151ecfde1eac7fe4be798")
        #expect(
            Self.hex(try #require(user.attributesByName["name"]).versionHash)
                == "8cb9965c0031ac68913984f3110941ad965395be9fd9b17de7be54bc7ad46890")
        #expect(
            Self.hex(try #require(user.attributesByName["petName"]).versionHash)
                == "3600ceedf50b080f90041365395158784f0deb03bc9acddf1cad607c4fe50742")
        #expect(model.entityVersionHashesByName == ["User": user.versionHash])
        #expect(model.versionChecksum == "u970QgYhRHEJGIt0zQr1UhuZL2ZJ1KxBS+B7rkAx0ik=")
    }

    @Test func entitiesWithoutModelHaveHashes() {
        let entity = NSEntityDescription()
        entity.name = "AutoExtensionGen"
        #expect(Self.hex(entity.versionHash) == "7269f68e9aff90822f687c0bd7906593b2bd3d37645993b8fe07f3800bdfb8da")
    }

    @Test func editsChangeTheHash() throws {
        let model = Self.userModel()
        let user = try #require(model.entitiesByName["User"])
        let before = user.versionHash
        try #require(user.attributesByName["name"]).isOptional = true
        #expect(user.versionHash != before)
        #expect(model.entityVersionHashesByName["User"] != before)
        try #require(user.attributesByName["name"]).isOptional = false
        #expect(user.versionHash == before)
        user.userInfo = ["key": "value"]
        user.managedObjectClassName = "Other"
        #expect(user.versionHash == before)
        user.name = "Person"
        #expect(model.entityVersionHashesByName.keys.sorted() == ["Person"])
        #expect(model.entitiesByName["Person"] === user)
    }

    @Test func hashesDecideCompatibilityWithMetadata() throws {
        let model = Self.userModel()
        let hash = try #require(model.entityVersionHashesByName["User"])
        func isCompatible(_ metadata: [String: Any], _ configuration: String? = nil) -> Bool {
            model.isConfiguration(withName: configuration, compatibleWithStoreMetadata: metadata)
        }
        #expect(isCompatible([NSStoreModelVersionHashesKey: ["User": hash]]))
        #expect(!isCompatible([NSStoreModelVersionHashesKey: ["User": Data(count: 32)]]))
        #expect(!isCompatible([NSStoreModelVersionHashesKey: ["User": hash, "Other": hash]]))
        #expect(!isCompatible([NSStoreModelVersionHashesKey: [String: Data]()]))
        #expect(!isCompatible([NSStoreModelVersionHashesKey: "no dictionary"]))
        #expect(!isCompatible([:]))
        #expect(!isCompatible([NSStoreModelVersionHashesKey: ["User": hash]], "Cloud"))
        model.setEntities([], forConfigurationName: "Cloud")
        #expect(isCompatible([NSStoreModelVersionHashesKey: [String: Data]()], "Cloud"))
    }

    /// Hashes that were read before are not kept.
    @Test func changedElementsOfCompositesChangeTheHash() throws {
        let part = NSAttributeDescription()
        part.name = "x"
        part.attributeType = .doubleAttributeType
        let (inner, outer) = (NSCompositeAttributeDescription(), NSCompositeAttributeDescription())
        (inner.name, outer.name) = ("point", "place")
        inner.elements = [part]
        outer.elements = [inner]
        let entity = NSEntityDescription()
        entity.name = "Place"
        entity.properties = [outer]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let before = try #require(model.entityVersionHashesByName["Place"])
        part.attributeType = .floatAttributeType
        let after = try #require(model.entityVersionHashesByName["Place"])
        #expect(after != before)
        part.isOptional = false
        #expect(model.entityVersionHashesByName["Place"] != after)
        // An element that was taken out belongs to no model.
        inner.elements = []
        let empty = model.entityVersionHashesByName["Place"]
        part.isOptional = true
        #expect(model.entityVersionHashesByName["Place"] == empty)
    }

    @Test func compositeAttributesHashTheirLeaves() {
        func entity(_ name: String, isOptional: Bool, leaf: NSAttributeType) -> NSEntityDescription {
            let part = NSAttributeDescription()
            part.name = "x"
            part.attributeType = leaf
            let composite = NSCompositeAttributeDescription()
            composite.name = name
            composite.isOptional = isOptional
            composite.elements = [part]
            let entity = NSEntityDescription()
            entity.name = "Place"
            entity.properties = [composite]
            return entity
        }
        let hash = entity("point", isOptional: true, leaf: .doubleAttributeType).versionHash
        #expect(entity("renamed", isOptional: false, leaf: .doubleAttributeType).versionHash == hash)
        #expect(entity("point", isOptional: true, leaf: .floatAttributeType).versionHash != hash)
    }
}
