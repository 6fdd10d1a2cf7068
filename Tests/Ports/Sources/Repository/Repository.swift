import CoreData
import Foundation

/// The stored objects of a class.
public struct Repository<Object: NSManagedObject> {
    public let context: NSManagedObjectContext

    public init(_ context: NSManagedObjectContext) {
        self.context = context
    }

    public func all(sortedBy keys: String...) throws -> [Object] {
        let request = NSFetchRequest<Object>(entityName: Object.entity().name!)
        request.sortDescriptors = keys.map {
            NSSortDescriptor(key: $0, ascending: true, selector: #selector(NSString.localizedCaseInsensitiveCompare))
        }
        return try context.fetch(request)
    }

    public func first(where key: String, is value: CVarArg) throws -> Object? {
        let request = NSFetchRequest<Object>(entityName: Object.entity().name!)
        request.predicate = NSPredicate(format: "%K == %@", argumentArray: [key, value])
        request.fetchLimit = 1
        return try context.fetch(request).first
    }
}

public enum Music {
    /// The model, built in code.
    public static let model: NSManagedObjectModel = {
        let album = entity("Album", "Record")
        let track = entity("Track", NSStringFromClass(Track.self))
        let tracks = relationship(#keyPath(Album.tracks), to: track, isToMany: true)
        let owner = relationship(#keyPath(Track.album), to: album, isToMany: false)
        tracks.inverseRelationship = owner
        owner.inverseRelationship = tracks
        album.properties = [attribute(#keyPath(Album.name), .stringAttributeType), tracks]
        track.properties = [
            attribute(#keyPath(Track.title), .stringAttributeType, default: "untitled"),
            attribute(#keyPath(Track.length), .doubleAttributeType, default: 0),
            attribute(#keyPath(Track.score), .integer64AttributeType, default: 0),
            attribute(#keyPath(Track.primitiveScore), .integer64AttributeType, default: 7), owner,
        ]
        let model = NSManagedObjectModel()
        model.entities = [album, track]
        return model
    }()

    private static func entity(_ name: String, _ className: String) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.managedObjectClassName = className
        return entity
    }

    private static func attribute(_ name: String, _ type: NSAttributeType, default value: Any? = nil) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = value == nil
        attribute.defaultValue = value
        return attribute
    }

    private static func relationship(_ name: String, to entity: NSEntityDescription, isToMany: Bool) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = entity
        relationship.maxCount = isToMany ? 0 : 1
        relationship.isOptional = true
        return relationship
    }
}
