/// The objects of an entity in order of insertion, with their values alongside: a search iterates over values and only
/// touches matching objects. Numbers that searches compare are stored in contiguous columns, so most values are not
/// touched either.
///
/// Guarded by the lock of the store's coordinator.
struct MemoryList {
    private(set) var objects: [MemoryObject] = []
    private var slots: [SlotReader] = []
    /// The columns by slot, built on first use, and dropped when objects are added or removed.
    private var columns: [Int: NumberColumn] = [:]

    mutating func append(_ object: MemoryObject) {
        object.position = objects.count
        objects.append(object)
        slots.append(object.slots)
        if !columns.isEmpty { columns = [:] }
    }

    mutating func append(_ new: ArraySlice<MemoryObject>) {
        for object in new { append(object) }
    }

    /// Updates the list after an object's values have changed.
    mutating func recordValues(of object: MemoryObject) {
        slots[object.position] = object.slots
        for slot in columns.keys { columns[slot]?.set(object.slots[slot], at: object.position) }
    }

    /// Removes deleted objects.
    mutating func removeDeleted() {
        let all = objects
        objects = []
        slots = []
        columns = [:]
        for object in all where !object.isDeleted { append(object) }
    }

    /// Calls a function with the indices of the objects that meet a condition.
    @inline(__always)
    mutating func forEachPosition(matching filter: SlotFilter, _ body: (Int) -> Void) {
        guard let lead = filter.lead else {
            slots.withUnsafeBufferPointer { slots in
                for position in 0..<slots.count where filter.matches(slots[position], orObject: { objects[position] }) {
                    body(position)
                }
            }
            return
        }
        let column = column(lead.slot, isReal: lead.isReal)
        slots.withUnsafeBufferPointer { slots in
            column.forEachPosition(matching: lead) { position, isSure in
                if isSure || filter.matches(slots[position], orObject: { objects[position] }) { body(position) }
            }
        }
    }

    private mutating func column(_ slot: Int, isReal: Bool) -> NumberColumn {
        if let cached = columns[slot] { return cached }
        var column = NumberColumn(count: slots.count, isReal: isReal)
        for position in slots.indices { column.set(slots[position][slot], at: position) }
        columns[slot] = column
        return column
    }
}

/// The numbers of one attribute of many objects.
struct NumberColumn {
    private var wholes: [Int64]
    private var reals: [Double]
    /// Whether each index lacks a number of the column's type.
    private var gaps: [Bool]

    init(count: Int, isReal: Bool) {
        wholes = isReal ? [] : Array(repeating: 0, count: count)
        reals = isReal ? Array(repeating: 0, count: count) : []
        gaps = Array(repeating: true, count: count)
    }

    mutating func set(_ value: SlotValue, at position: Int) {
        switch value {
        case .integer(let number) where !wholes.isEmpty:
            wholes[position] = number
            gaps[position] = false
        case .double(let number) where !reals.isEmpty:
            reals[position] = number
            gaps[position] = false
        default: gaps[position] = true
        }
    }

    /// Calls a function with the indices where a comparison is `true` or must be evaluated on the object, and whether
    /// the comparison alone decides the condition.
    @inline(__always)
    func forEachPosition(matching lead: SlotFilter.NumberComparison, _ body: (_ position: Int, _ isSure: Bool) -> Void)
    {
        gaps.withUnsafeBufferPointer { gaps in
            if lead.isReal {
                reals.withUnsafeBufferPointer { numbers in
                    for position in 0..<gaps.count {
                        let isTrue = lead.accepted.accepts(ValueOrder(numbers[position], lead.number)) != lead.isNegated
                        if isTrue || gaps[position] { body(position, lead.decides && !gaps[position]) }
                    }
                }
            } else {
                wholes.withUnsafeBufferPointer { numbers in
                    for position in 0..<gaps.count {
                        let isTrue = lead.accepted.accepts(numbers[position], lead.whole) != lead.isNegated
                        if isTrue || gaps[position] { body(position, lead.decides && !gaps[position]) }
                    }
                }
            }
        }
    }
}
