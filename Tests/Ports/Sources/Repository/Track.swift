import CoreData

/// A track of an album.
@objc(Track)
public final class Track: NSManagedObject {
    public typealias Seconds = Double

    @NSManaged public var title: String
    @NSManaged public var length: Seconds
    @NSManaged public var album: Album?
    /// Not the primitive value of `score`: the model has an attribute of this name.
    @NSManaged public var primitiveScore: Int64
    @NSManaged public var score: Int64

    @objc public class func keyPathsForValuesAffectingSummary() -> Set<String> {
        [#keyPath(Track.title), #keyPath(length)]
    }

    @objc public dynamic var summary: String { "\(title) (\(length) s)" }
}
