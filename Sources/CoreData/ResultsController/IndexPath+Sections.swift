public import Foundation

// UIKit and AppKit give index paths these; Foundation on Linux does not.
extension IndexPath {
    /// A place in a list with sections: a row of a section.
    public init(row: Int, section: Int) {
        self = [section, row]
    }

    /// A place in a list with sections: an item of a section.
    public init(item: Int, section: Int) {
        self = [section, item]
    }

    /// The number of the section. A path without one traps.
    public var section: Int {
        get { self[0] }
        set { self[0] = newValue }
    }

    /// The number of the row in its section. A path without one traps.
    public var row: Int {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The number of the item in its section: the same as `row`.
    public var item: Int {
        get { self[1] }
        set { self[1] = newValue }
    }
}
