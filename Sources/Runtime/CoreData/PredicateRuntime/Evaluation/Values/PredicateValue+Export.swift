internal import Foundation
internal import RuntimeSupport

extension PredicateValue {
    /// The value as in Apple's API: numbers as `NSNumber`, which Swift casts to every numeric type that can represent
    /// them; original collections unchanged, and an operator's results as `[Any]` or `NSSet`.
    package var any: Any? {
        switch self {
        case .null: nil
        case .boolean(let flag): NSNumber(value: flag)
        case .integer(let number): NSNumber(value: number)
        case .real(let number): NSNumber(value: number)
        case .decimal(let number): number
        case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
        case .string(let text): text
        case .uuid(let uuid): uuid
        case .data(let data): data
        case .collection(let collection): collection.any
        case .dictionary(let dictionary): dictionary.source
        case .readable(let object): object
        case .slotted(let object): object
        case .other(let other): other.value
        }
    }
}

extension PredicateCollection {
    fileprivate var any: Any {
        if let source { return source }
        let values = elements.map { $0.any ?? NSNull() }
        return switch kind {
        case .array: values
        case .set: NSSet(array: values.map(HashableDecimal.replacing))
        case .orderedSet: NSOrderedSet(array: values.map(HashableDecimal.replacing))
        }
    }
}
