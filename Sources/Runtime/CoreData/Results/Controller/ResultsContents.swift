internal import Foundation
internal import RuntimeSupport

/// The objects of results, in order, and their sections.
struct ResultsContents {
    struct Section: Equatable {
        var name: String
        /// The indices of its objects.
        var range: Range<Int>
    }

    var objects: [NSManagedObject] = []
    var sections: [Section] = []

    /// The error for objects of a section that are not sorted together.
    struct OutOfOrder: Error {
        var index: Int
        var name: String
    }

    init() {}

    /// Divides sorted objects into sections.
    init(_ objects: [NSManagedObject], _ names: ResultsSections) throws(OutOfOrder) {
        self.objects = objects
        guard names.keyPath != nil else {
            sections = [Section(name: "", range: 0..<objects.count)]
            return
        }
        var seen: Set<String> = []
        for (index, object) in objects.enumerated() {
            let name = names.name(of: object)
            if let last = sections.last, last.name == name {
                sections[sections.count - 1].range = last.range.lowerBound..<(index + 1)
            } else {
                guard seen.insert(name).inserted else { throw OutOfOrder(index: index, name: name) }
                sections.append(Section(name: name, range: index..<(index + 1)))
            }
        }
    }

    /// Returns the object at an index path, or `nil` if it is out of bounds.
    func object(at path: IndexPath) -> NSManagedObject? {
        guard sections.indices.contains(path[0]) else { return nil }
        let range = sections[path[0]].range
        guard path[1] >= 0, path[1] < range.count else { return nil }
        return objects[range.lowerBound + path[1]]
    }

    /// Returns the index path of the object at an index.
    func path(of index: Int) -> IndexPath {
        let section = section(of: index)
        return [section, index - sections[section].range.lowerBound]
    }

    /// Returns the index of the section that contains the object at an index.
    func section(of index: Int) -> Int {
        var (low, high) = (0, sections.count)
        while low < high {
            let middle = (low + high) / 2
            if sections[middle].range.upperBound <= index { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// The division of results into sections.
struct ResultsSections {
    /// The key path of the section names; `nil` for a single section.
    let keyPath: String?

    /// Returns the name of the section that an object belongs to.
    func name(of object: NSManagedObject) -> String {
        guard let keyPath else { return "" }
        // A class may compute a transient property in value(forKey:).
        if let index = object.layout.index(of: keyPath), !object.layout.slots[index].isTransient,
            case .string(let text) = object.realizedSlots()[index]
        {
            return text
        }
        return Self.text(Unwrapping.value(object.value(forKeyPath: keyPath)))
    }

    private static func text(_ value: Any?) -> String {
        switch value {
        case nil: ""
        case let text as String: text
        case let number as NSNumber: number.stringValue
        case let other?: String(describing: other)
        }
    }
}

struct ResultsOrder {
    let descriptors: [NSSortDescriptor]

    func compare(_ one: NSManagedObject, _ other: NSManagedObject) -> ComparisonResult {
        descriptors.compare(one, to: other)
    }

    /// Returns the insertion index of an object in the sorted list: after every object that precedes or equals it.
    func position(of object: NSManagedObject, in objects: [NSManagedObject]) -> Int {
        var (low, high) = (0, objects.count)
        while low < high {
            let middle = (low + high) / 2
            if compare(objects[middle], object) == .orderedDescending { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Returns whether inserting an object at an index keeps the list sorted.
    func allows(_ object: NSManagedObject, at position: Int, in objects: [NSManagedObject]) -> Bool {
        if position > 0, compare(objects[position - 1], object) == .orderedDescending { return false }
        return position == objects.count || compare(object, objects[position]) != .orderedDescending
    }
}
