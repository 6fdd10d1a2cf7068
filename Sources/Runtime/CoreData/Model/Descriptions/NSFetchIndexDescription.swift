public import Foundation
internal import RuntimeSupport

/// The kind of an element of a fetch index. Raw values equal Apple's.
///
/// ```swift
/// let type = NSFetchIndexElementType.binary
/// ```
public enum NSFetchIndexElementType: UInt, Sendable {
    /// A sorted index.
    case binary = 0
    /// An R-tree, for ranges of numbers in several dimensions.
    case rTree = 1
}

/// An element of a fetch index: a property, or an expression as an `NSExpressionDescription`.
///
/// ```swift
/// let title = NSAttributeDescription()
/// title.name = "title"
/// let element = NSFetchIndexElementDescription(property: title, collationType: .binary)
/// element.isAscending = false
/// ```
///
/// Mutability and thread rules are those of `NSPropertyDescription`.
open class NSFetchIndexElementDescription: NSObject, NSCopying, NSSecureCoding {
    weak var index: NSFetchIndexDescription?
    private let column: NSPropertyDescription
    private var type: NSFetchIndexElementType
    private var ascending = true

    /// Creates an ascending element.
    ///
    /// - Parameters:
    ///   - property: The property, or an expression description.
    ///   - collationType: The kind of index.
    public init(property: NSPropertyDescription, collationType: NSFetchIndexElementType) {
        column = property
        type = collationType
        super.init()
    }

    /// Creates the element in an archive, in no index; returns `nil` if the archive is damaged or was not written by
    /// this framework.
    public required init?(coder: NSCoder) {
        guard let archived = DescriptionArchive.element(from: coder) else { return nil }
        column = archived.column
        type = archived.type
        ascending = archived.ascending
        super.init()
    }

    /// Archives the element with its property and the model, in a format that only this framework reads. Traps if a
    /// part cannot be archived, such as a predicate with a block.
    open func encode(with coder: NSCoder) {
        DescriptionArchive.encode(self, with: coder)
    }

    /// `true`.
    open class var supportsSecureCoding: Bool { true }

    /// The property: that of the index's entity with the same name, or else the one that the element was created with.
    open var property: NSPropertyDescription? {
        column is NSExpressionDescription ? column : index?.owner?.propertiesByName[column.name] ?? column
    }

    /// The name of the property.
    open var propertyName: String? { column.name }

    /// The kind of index that the element is part of.
    open var collationType: NSFetchIndexElementType {
        get { type }
        set {
            index?.willChange()
            type = newValue
        }
    }

    /// Whether smaller values come first. The default is `true`.
    open var isAscending: Bool {
        get { ascending }
        set {
            index?.willChange()
            ascending = newValue
        }
    }

    /// The index that the element belongs to, or `nil`.
    open var indexDescription: NSFetchIndexDescription? { index }

    /// Returns an element with the same values, in no index.
    open func copy(with zone: NSZone? = nil) -> Any {
        copy(for: column)
    }

    /// Returns a copy for another property.
    final func copy(for property: NSPropertyDescription) -> NSFetchIndexElementDescription {
        let copy = NSFetchIndexElementDescription(property: property, collationType: type)
        copy.ascending = ascending
        return copy
    }
}

/// An index of an entity's table, which makes fetches faster.
///
/// ```swift
/// let title = NSAttributeDescription()
/// title.name = "title"
/// let index = NSFetchIndexDescription(
///     name: "byTitle", elements: [NSFetchIndexElementDescription(property: title, collationType: .binary)])
/// ```
///
/// Mutability and thread rules are those of `NSPropertyDescription`.
open class NSFetchIndexDescription: NSObject, NSCopying, NSSecureCoding {
    @WeakLink var owner: NSEntityDescription?
    /// The model of the archive that the index was read from, retained by the index.
    final var archivedModel: NSManagedObjectModel?
    private var title: String
    private var columns: [NSFetchIndexElementDescription]
    private var predicate: NSPredicate?

    /// Creates an index.
    ///
    /// - Parameters:
    ///   - name: Its name, unique in the entity.
    ///   - elements: Its elements, in order; `nil` if there are none. Either all or none are R-tree elements.
    public init(name: String, elements: [NSFetchIndexElementDescription]?) {
        title = name
        columns = elements ?? []
        super.init()
        Self.check(columns, of: title)
        for column in columns { column.index = self }
    }

    /// Traps if a list of elements has R-tree elements beside others: no index has both.
    private static func check(_ elements: [NSFetchIndexElementDescription], of name: String) {
        let spatial = elements.count { $0.collationType == .rTree }
        guard spatial > 0, spatial < elements.count else { return }
        misuse(
            "NSInvalidArgumentException",
            "the index “\(name)” has R-tree and other elements; put the R-tree elements into a separate index")
    }

    /// Creates an index of a file or an archive, which may have elements that no code could give it.
    static func read(name: String, elements: [NSFetchIndexElementDescription]) -> NSFetchIndexDescription {
        let index = NSFetchIndexDescription(name: name, elements: nil)
        index.columns = elements
        for column in elements { column.index = index }
        return index
    }

    /// Creates the index in an archive, which retains its model; returns `nil` if the archive is damaged or was not
    /// written by this framework.
    public required init?(coder: NSCoder) {
        guard let archived = DescriptionArchive.index(from: coder) else { return nil }
        title = archived.title
        columns = archived.columns
        predicate = archived.predicate
        super.init()
        for column in columns { column.index = self }
        owner = archived.owner
        archivedModel = archived.archivedModel
    }

    /// Archives the index with its model, in a format that only this framework reads. Traps if a part cannot be
    /// archived, such as a predicate with a block.
    open func encode(with coder: NSCoder) {
        DescriptionArchive.encode(self, with: coder)
    }

    /// `true`.
    open class var supportsSecureCoding: Bool { true }

    /// Traps if the model is in use.
    final func willChange() {
        owner?.willChange()
    }

    /// The name, unique in the entity.
    open var name: String {
        get { title }
        set {
            willChange()
            title = newValue
        }
    }

    /// The elements, in order. Traps if only some of them are R-tree elements.
    open var elements: [NSFetchIndexElementDescription] {
        get { columns }
        set {
            willChange()
            Self.check(newValue, of: title)
            columns = newValue
            for column in columns { column.index = self }
        }
    }

    /// The entity that the index belongs to, or `nil`.
    open var entity: NSEntityDescription? { owner }

    /// The condition that indexed objects meet; `nil` for all objects.
    open var partialIndexPredicate: NSPredicate? {
        get { predicate }
        set {
            willChange()
            predicate = newValue
        }
    }

    /// Returns an index with the same values, in no entity.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = NSFetchIndexDescription.read(
            name: title, elements: columns.compactMap { $0.copy() as? NSFetchIndexElementDescription })
        copy.predicate = predicate
        return copy
    }
}
