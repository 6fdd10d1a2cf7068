/// What values keep of objects and relationships, with their types.
///
/// The values of rows and of objects are one type, which is declared below objects, so it holds these as opaque
/// references.
extension ManagedReference {
    /// Creates the reference to an object.
    @inline(__always)
    init(_ object: NSManagedObject) {
        base = object
    }

    @inline(__always)
    var object: NSManagedObject { unsafeDowncast(base, to: NSManagedObject.self) }
}

extension MembersReference {
    /// Creates the reference to the members of a relationship.
    @inline(__always)
    init(_ storage: ToManyStorage) {
        base = storage
    }

    /// The members.
    @inline(__always)
    var storage: ToManyStorage { unsafeDowncast(base, to: ToManyStorage.self) }
}

extension SlotValue {
    /// The object of a to-one relationship that was looked up; `nil` for any other value.
    @inline(__always)
    var managedObject: NSManagedObject? { if case .managed(let reference) = self { reference.object } else { nil } }

    /// The members of a to-many relationship that was looked up; `nil` for any other value.
    @inline(__always)
    var memberStorage: ToManyStorage? { if case .many(let reference) = self { reference.storage } else { nil } }

    /// The value of a to-one relationship.
    @inline(__always)
    static func managed(_ object: NSManagedObject) -> SlotValue { .managed(ManagedReference(object)) }

    /// The value of a to-many relationship.
    @inline(__always)
    static func many(_ storage: ToManyStorage) -> SlotValue { .many(MembersReference(storage)) }

    /// Returns whether two attribute values or two to-one relationships are equal.
    func isEqual(_ other: SlotValue) -> Bool {
        switch (self, other) {
        case (.managed, _), (_, .managed): identity.map { $0 == other.identity } ?? false
        default: isEqualInRow(other)
        }
    }

    /// The ID of the object at the other end; `nil` if there is none.
    private var identity: NSManagedObjectID? {
        switch self {
        case .reference(let id): id
        case .managed(let reference): reference.object.directID
        default: nil
        }
    }
}
