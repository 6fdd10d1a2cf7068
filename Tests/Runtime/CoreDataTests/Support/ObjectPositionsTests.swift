import RuntimeSupport
import TestSupport
import Testing

/// An index of the positions of objects in an array.
@Suite struct ObjectPositionsTests {
    private final class Item {}

    /// Random additions and removals, where the last object takes the position of the removed one.
    @Test(arguments: 0..<8) func findsTheSameObjectsAsTheArray(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let items = (0..<300).map { _ in Item() }
        var array = Array(items.prefix(Int.random(in: 0...40, using: &generator)))
        let index = ObjectPositions(array)
        // First there are more additions, then more removals.
        for step in 0..<2000 {
            let item = items[Int.random(in: 0..<items.count, using: &generator)]
            let position = array.firstIndex { $0 === item }
            #expect(index.position(of: item, in: array) == position)
            let isGrowing = (step / 400).isMultiple(of: 2)
            if let position, !isGrowing || Bool.random(using: &generator) {
                index.remove(at: position, from: array)
                let last = array.removeLast()
                if position < array.count { array[position] = last }
            } else if position == nil, isGrowing || Int.random(in: 0..<4, using: &generator) == 0 {
                array.append(item)
                index.recordLast(of: array)
            }
        }
        for item in items { #expect(index.position(of: item, in: array) == array.firstIndex { $0 === item }) }
    }
}
