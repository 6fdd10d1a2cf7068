public import Foundation

// UIKit and AppKit provide these members; Foundation on Linux does not.
extension IndexPath {
    /// Creates the index path of a row in a section.
    public init(row: Int, section: Int) {
        self = [section, row]
    }

    /// Creates the index path of an item in a section.
    public init(item: Int, section: Int) {
        self = [section, item]
    }

    /// The index of the section. Traps if the path has none.
    public var section: Int {
        get { self[0] }
        set { self[0] = newValue }
    }

    /// The index of the row in its section. Traps if the path has none.
    public var row: Int {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The index of the item in its section: the same as `row`.
    public var item: Int {
        get { self[1] }
        set { self[1] = newValue }
    }
}
