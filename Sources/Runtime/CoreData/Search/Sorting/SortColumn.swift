internal import Foundation

/// The values of one sort key.
struct SortColumn {
    /// The values, if their ranks do not determine the order.
    private enum Values {
        /// No values: the ranks suffice.
        case none
        case wholes([Int64?])
        case texts([String?])
        case others([PredicateValue])
        /// The objects themselves, for a descriptor that compares objects.
        case objects([AnyObject])
    }

    private let key: SortKey
    private var values: Values
    /// Numbers whose order is that of the values, missing values first; reversed for a descending key.
    private(set) var ranks: [UInt64] = []
    /// Whether values with equal ranks are equal.
    private(set) var isExact: Bool

    init(_ key: SortKey) {
        self.key = key
        (values, isExact) = (.others([]), false)
        switch key.order {
        case .objects: values = .objects([])
        case .comparator: break
        case .standard:
            guard case .attribute(let attribute) = key.path.end else { return }
            switch attribute.attributeType {
            case .stringAttributeType: values = .texts([])
            case .integer64AttributeType: (values, isExact) = (.wholes([]), true)
            case .integer16AttributeType, .integer32AttributeType, .booleanAttributeType, .doubleAttributeType,
                .floatAttributeType, .dateAttributeType:
                (values, isExact) = (.none, true)
            default: break
            }
        }
    }

    // MARK: Adding values

    mutating func append<Object: SlotBacked>(_ objects: [Object]) {
        let slot = key.path.slots.count == 1 ? key.path.slots[0] : nil
        switch values {
        case .none:
            ranks.reserveCapacity(ranks.count + objects.count)
            for object in objects {
                if let slot {
                    ranks.append(object.withSlots { Self.rank($0[slot]) })
                } else {
                    ranks.append(Self.rank(key.path.value(of: object)))
                }
            }
        case .wholes(var wholes):
            values = .none
            wholes.reserveCapacity(wholes.count + objects.count)
            for object in objects { wholes.append(whole(of: object, slot)) }
            values = .wholes(wholes)
        case .texts(var texts):
            values = .none
            texts.reserveCapacity(texts.count + objects.count)
            for object in objects { texts.append(text(of: object, slot)) }
            values = .texts(texts)
        case .others(var others):
            values = .none
            others.reserveCapacity(others.count + objects.count)
            for object in objects { others.append(key.path.value(of: object)) }
            values = .others(others)
        case .objects(var list):
            values = .none
            list += objects as [AnyObject]
            values = .objects(list)
        }
    }

    private func text<Object: SlotBacked>(of object: Object, _ slot: Int?) -> String? {
        if let slot {
            return object.withSlots { slots in
                if case .string(let text) = slots[slot] { text } else { nil }
            }
        }
        if case .string(let text) = key.path.value(of: object) { return text }
        return nil
    }

    private func whole<Object: SlotBacked>(of object: Object, _ slot: Int?) -> Int64? {
        if let slot {
            return object.withSlots { slots in
                if case .integer(let number) = slots[slot] { number } else { nil }
            }
        }
        if case .integer(let number) = key.path.value(of: object) { return number }
        return nil
    }

    // MARK: Ranks

    /// Computes ranks that depend on all values.
    mutating func prepare() {
        switch values {
        case .none: break
        case .wholes(let wholes):
            ranks = wholes.map { $0.map { Self.rank($0) } ?? 0 }
            isExact = !wholes.contains { $0.map { $0 <= .min + 1 } ?? false }
        case .texts(let texts): (ranks, isExact) = Self.ranks(of: texts)
        case .others(let others):
            ranks =
                if case .standard = key.order { others.map { Self.nearRank($0) } } else { others.map { _ in 0 } }
        case .objects(let objects): ranks = objects.map { _ in 0 }
        }
        if !key.isAscending { for index in ranks.indices { ranks[index] = ~ranks[index] } }
    }

    private static func rank(_ value: SlotValue) -> UInt64 {
        switch value {
        case .integer(let number): rank(number)
        case .double(let number): rank(number)
        case .float(let number): rank(Double(number))
        case .boolean(let flag): rank(flag ? 1 as Int64 : 0)
        case .date(let date): rank(date.timeIntervalSinceReferenceDate)
        default: 0
        }
    }

    /// Returns the rank of a value of an attribute whose values all have the same type.
    private static func rank(_ value: PredicateValue) -> UInt64 {
        switch value {
        case .integer(let number): rank(number)
        case .real(let number), .date(let number): rank(number)
        case .boolean(let flag): rank(flag ? 1 as Int64 : 0)
        default: 0
        }
    }

    /// Returns a rank for values of any type, including numbers of different types.
    private static func nearRank(_ value: PredicateValue) -> UInt64 {
        switch value {
        case .integer(let number): rank(Double(number))
        case .real(let number), .date(let number): rank(number)
        case .boolean(let flag): rank(flag ? 1.0 : 0.0)
        case .decimal(let number): rank(number.doubleValue)
        default: 0
        }
    }

    /// Returns the rank of an integer. All but the two smallest `Int64` values have distinct ranks; 0 means `nil`.
    private static func rank(_ number: Int64) -> UInt64 {
        max(UInt64(bitPattern: number) ^ (1 << 63), 1)
    }

    /// Returns the rank of a floating-point number. NaN precedes all numbers.
    private static func rank(_ number: Double) -> UInt64 {
        guard !number.isNaN else { return 1 }
        // Adding 0 turns -0 into 0.
        let bits = (number + 0).bitPattern
        return bits >> 63 == 1 ? ~bits : bits | (1 << 63)
    }

    /// Returns the ranks of strings: seven bytes after their common prefix.
    private static func ranks(of texts: [String?]) -> (ranks: [UInt64], areExact: Bool) {
        let start = commonStart(of: texts)
        var areExact = true
        let ranks = texts.map { text -> UInt64 in
            guard let text else { return 0 }
            return text.withUTF8Bytes { bytes in
                var rank: UInt64 = 0
                for index in start..<(start + 7) {
                    let byte = index < bytes.count ? bytes[index] : 0
                    if byte == 0, index < bytes.count { areExact = false }
                    rank = rank << 8 | UInt64(byte)
                }
                if bytes.count > start + 7 { areExact = false }
                return rank << 8 | 1
            }
        }
        return (ranks, areExact)
    }

    /// Returns the length of the strings' common prefix, in bytes.
    private static func commonStart(of texts: [String?]) -> Int {
        var common: [UInt8]?
        for case let text? in texts {
            text.withUTF8Bytes { bytes in
                guard let shared = common else {
                    common = Array(bytes)
                    return
                }
                var count = 0
                while count < min(shared.count, bytes.count), shared[count] == bytes[count] { count += 1 }
                if count < shared.count { common?.removeLast(shared.count - count) }
            }
            if common?.isEmpty == true { return 0 }
        }
        return common?.count ?? 0
    }

    // MARK: Comparing

    /// Compares the values with two indices.
    func compare(_ one: Int, _ other: Int) -> ComparisonResult {
        if ranks[one] != ranks[other] { return ranks[one] < ranks[other] ? .orderedAscending : .orderedDescending }
        if isExact { return .orderedSame }
        let result: ComparisonResult
        switch values {
        case .none: return .orderedSame
        case .wholes(let wholes):
            guard let a = wholes[one], let b = wholes[other] else { return .orderedSame }
            result = a < b ? .orderedAscending : a == b ? .orderedSame : .orderedDescending
        case .texts(let texts):
            guard let a = texts[one], let b = texts[other] else { return .orderedSame }
            result = AttributeOrder.order(a, b)
        case .others(let others):
            if case .comparator(let comparator) = key.order {
                result = comparator(others[one].any ?? NSNull(), others[other].any ?? NSNull())
            } else {
                result = FetchOrder.compare(others[one], others[other])
            }
        case .objects(let objects):
            guard case .objects(let descriptor) = key.order else { return .orderedSame }
            // The descriptor takes the direction into account itself.
            return descriptor.compare(objects[one], to: objects[other])
        }
        guard !key.isAscending else { return result }
        switch result {
        case .orderedAscending: return .orderedDescending
        case .orderedDescending: return .orderedAscending
        case .orderedSame: return .orderedSame
        }
    }
}

/// The order of values of the same property.
enum FetchOrder {
    /// Compares two values. A missing value comes first; objects are ordered by ID.
    static func compare(_ one: PredicateValue, _ other: PredicateValue) -> ComparisonResult {
        switch (one, other) {
        case (.null, .null): return .orderedSame
        case (.null, _): return .orderedAscending
        case (_, .null): return .orderedDescending
        case (.slotted(let a), .slotted(let b)):
            guard let a = a.predicateIdentity as? NSManagedObjectID, let b = b.predicateIdentity as? NSManagedObjectID
            else { return .orderedSame }
            return a.order(b)
        case (.string(let a), .string(let b)): return AttributeOrder.order(a, b)
        default:
            switch one.order(other) {
            case .ascending: return .orderedAscending
            case .descending: return .orderedDescending
            case .same, .unordered, nil: return .orderedSame
            }
        }
    }
}

extension NSManagedObjectID {
    /// Returns the order of two IDs: by the store's numbering, temporary IDs last.
    func order(_ other: NSManagedObjectID) -> ComparisonResult {
        func compare<Value: Comparable>(_ one: Value, _ other: Value) -> ComparisonResult {
            one < other ? .orderedAscending : one == other ? .orderedSame : .orderedDescending
        }
        switch (reference, other.reference) {
        case (.number(let a), .number(let b)): return compare(a, b)
        case (.text(let a), .text(let b)): return compare(a, b)
        case (.temporary(let a), .temporary(let b)): return compare(a, b)
        case (.temporary, _): return .orderedDescending
        case (_, .temporary): return .orderedAscending
        default: return compare(uriRepresentation().absoluteString, other.uriRepresentation().absoluteString)
        }
    }
}
