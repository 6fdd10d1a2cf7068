import RuntimeSupport
import TestSupport
import Testing

/// Pages of objects by key.
@Suite struct KeyPagesTests {
    private final class Item {}

    /// The same operations on pages and a dictionary, with keys that are close together, far apart, and at the ends of
    /// the range.
    @Test(arguments: 0..<8) func keyPagesBehaveLikeADictionary(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let pages = KeyPages<Item>()
        let other = KeyPages<Item>()
        let items = (0..<50).map { _ in Item() }
        var known: [Int64: Item] = [:]
        for _ in 0..<3000 {
            let key: Int64 =
                switch Int.random(in: 0..<6, using: &generator) {
                case 0: .random(in: .min ... .max, using: &generator)
                case 1: .random(in: -40...40, using: &generator)
                case 2: .random(in: 0...64, using: &generator) << 40
                case 3: [Int64.min, .max, 0, -1].randomElement(using: &generator) ?? 0
                default: .random(in: 1...400, using: &generator)
                }
            let item = items[Int.random(in: 0..<items.count, using: &generator)]
            switch Int.random(in: 0..<100, using: &generator) {
            case 0:
                pages.removeAll()
                known = [:]
            case 1:
                // Exchange with the other table and back.
                pages.exchange(with: other)
                #expect(pages.count == 0 && other.count == known.count)
                pages.exchange(with: other)
            case 2..<40:
                let old = pages.remove(key)?.takeUnretainedValue()
                #expect(old === known.removeValue(forKey: key))
            default:
                let old = pages.set(.passUnretained(item), key)?.takeUnretainedValue()
                #expect(old === known.updateValue(item, forKey: key))
            }
            #expect(pages[key]?.takeUnretainedValue() === known[key])
            #expect(pages.count == known.count)
        }
        var found: [Int64: Item] = [:]
        pages.forEach { found[$0] = $1.takeUnretainedValue() }
        #expect(found.count == known.count && found.allSatisfy { known[$0] === $1 })
    }
}
