internal import Foundation

/// The value of an attribute in the file of an atomic store.
enum StoredValue: Hashable {
    case boolean(Bool)
    /// An integer, with the bit width of its attribute.
    case integer(Int64, bits: Int)
    case double(Double)
    case float(Float)
    case decimal(Decimal)
    case string(String)
    /// Seconds since 2001-01-01 00:00 UTC.
    case date(Double)
    case data(Data)
    case uuid(UUID)
    /// The absolute string of a URL.
    case uri(String)
    /// The result of a value transformer.
    case transformed(Data)
}

/// An object in the file of an atomic store.
struct StoredObject: Hashable {
    /// The value of an attribute. An element of a composite attribute has the name `attribute.element`.
    struct Attribute: Hashable {
        var name: String
        var value: StoredValue
    }

    /// The objects at the other end of a relationship.
    struct Relationship: Hashable {
        var name: String
        var numbers: [Int64]
        /// The minimum and maximum counts, with 0 for no limit. Only in XML stores.
        var counts = ""
        /// The name of the destination entity. Only in XML stores.
        var destination = ""
    }

    /// The entity's name, as the file spells it.
    var entity: String
    /// The object's number, unique in the store.
    var number: Int64
    /// The attributes that have a value, in the order of the file.
    var attributes: [Attribute] = []
    /// The relationships, in the order of the file.
    var relationships: [Relationship] = []
}

/// The content of an atomic store's file.
struct StoredContents {
    var uuid: String
    /// The metadata without UUID and type.
    var metadata: [String: Any]
    /// The largest object number ever used.
    var lastNumber: Int64
    var objects: [StoredObject] = []
    /// Whether the XML declaration does not contain `standalone="no"`, which older versions of Apple's framework write.
    var isStandalone = true
}

/// The reason why the bytes of a file are not the content of a store.
struct StoredContentsError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
