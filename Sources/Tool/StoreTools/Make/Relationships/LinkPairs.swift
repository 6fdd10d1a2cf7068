/// Chooses the objects that a relationship links, by their positions on both sides.
struct LinkPairs {
    /// The position of an object on the first side, and that of its destination.
    private(set) var pairs: [(first: Int, second: Int)] = []

    /// The fraction of rows on an optional side that have no destination: one in this number.
    private static let emptyShare = 8

    /// Links objects.
    ///
    /// - Parameters:
    ///   - first: The number of objects on the first side.
    ///   - second: The number of objects on the second side.
    init(_ link: RelationshipLink, first: Int, second: Int, _ numbers: inout SeededNumbers) {
        guard first > 0, second > 0 else { return }
        if link.isReflexive {
            linkAmongThemselves(link.first, count: first, numbers: &numbers)
        } else {
            linkSides(link, first: first, second: second, numbers: &numbers)
        }
    }

    // MARK: Two sides

    private mutating func linkSides(
        _ link: RelationshipLink, first: Int, second: Int, numbers: inout SeededNumbers
    ) {
        let (one, two) = (link.first, link.second)
        var sources = one.isOptional ? first - first / Self.emptyShare : first
        var targets = two.isOptional ? second - second / Self.emptyShare : second
        // A side without enough destinations uses all of them, and fewer objects take part.
        if RelationshipLink.product(sources, one.least) > RelationshipLink.product(targets, two.most) {
            targets = second
            if one.isOptional { sources = min(sources, RelationshipLink.product(targets, two.most) / one.least) }
        }
        if RelationshipLink.product(targets, two.least) > RelationshipLink.product(sources, one.most) {
            sources =
                one.isOptional
                ? max(sources, min(first, RelationshipLink.product(targets, two.most) / one.least)) : first
            if two.isOptional { targets = min(targets, RelationshipLink.product(sources, one.most) / two.least) }
        }
        if one.isOptional, one.least > targets { sources = 0 }
        if two.isOptional, two.least > sources { targets = 0 }
        guard sources > 0, targets > 0 else { return }
        let firstOrder = Array(numbers.shuffled(Array(0..<first)).prefix(sources))
        let secondOrder = Array(numbers.shuffled(Array(0..<second)).prefix(targets))
        if one.most == 1, two.least == 1, two.most == .max, two.isOptional {
            // As in real data, some owners have many members and some have few.
            pairs = firstOrder.map { ($0, secondOrder[numbers.below(numbers.below(targets) + 1)]) }
        } else {
            let count = linkCount(one, sources: sources, two: two, targets: targets)
            pairs = Self.balanced(count, sources: sources, targets: targets).map { (firstOrder[$0], secondOrder[$1]) }
        }
    }

    /// Returns the number of links: two for each object unless the limits demand otherwise.
    private func linkCount(
        _ one: RelationshipLink.End, sources: Int, two: RelationshipLink.End, targets: Int
    ) -> Int {
        let least = max(
            RelationshipLink.product(sources, one.least), RelationshipLink.product(targets, two.least))
        let most = min(
            RelationshipLink.product(sources, min(one.most, targets)),
            RelationshipLink.product(targets, min(two.most, sources)))
        return min(most, max(least, 2 * max(sources, targets)))
    }

    /// Returns distinct pairs in which the objects of each side occur equally often, or at most once more than others.
    private static func balanced(_ count: Int, sources: Int, targets: Int) -> [(Int, Int)] {
        let period = sources / divisor(sources, targets) * targets
        return (0..<count).map { ($0 % sources, ($0 + $0 / period) % targets) }
    }

    private static func divisor(_ first: Int, _ second: Int) -> Int {
        second == 0 ? first : divisor(second, first % second)
    }

    // MARK: One side

    /// Links objects by a relationship that is its own inverse.
    private mutating func linkAmongThemselves(
        _ end: RelationshipLink.End, count: Int, numbers: inout SeededNumbers
    ) {
        let taking = end.isOptional ? count - count / Self.emptyShare : count
        let order = Array(numbers.shuffled(Array(0..<count)).prefix(taking))
        let degree = min(max(end.least, min(2, end.most)), order.count)
        guard degree > 0 else { return }
        if degree == 1 {
            for index in stride(from: 0, to: order.count - 1, by: 2) { pairs.append((order[index], order[index + 1])) }
            // With an odd number of objects, the last one is its own partner.
            if !order.count.isMultiple(of: 2), !end.isOptional, let last = order.last { pairs.append((last, last)) }
            return
        }
        for step in 1...max(1, degree / 2) where order.count > 2 * step || order.count == step + 1 {
            for index in order.indices { pairs.append((order[index], order[(index + step) % order.count])) }
        }
        if !degree.isMultiple(of: 2), order.count.isMultiple(of: 2) {
            for index in 0..<order.count / 2 { pairs.append((order[index], order[index + order.count / 2])) }
        }
    }
}
