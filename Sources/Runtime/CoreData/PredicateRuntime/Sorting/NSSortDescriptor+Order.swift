internal import Foundation

extension Sequence where Element == NSSortDescriptor {
    /// Returns the order of two objects by the first descriptor that distinguishes them.
    func compare(_ one: Any, to other: Any) -> ComparisonResult {
        for descriptor in self {
            let result = descriptor.compare(one, to: other)
            if result != .orderedSame { return result }
        }
        return .orderedSame
    }
}

extension Array {
    /// Sorts by descriptors. The sort is stable.
    mutating func sort(by descriptors: [NSSortDescriptor]) {
        guard !descriptors.isEmpty else { return }
        let order = indices.sorted { one, other in
            switch descriptors.compare(self[one], to: self[other]) {
            case .orderedAscending: true
            case .orderedDescending: false
            case .orderedSame: one < other
            }
        }
        self = order.map { self[$0] }
    }
}
