import TestSupport
import Testing

@testable import CoreData

/// An index of the positions of objects in an array.
@Suite struct PlaceIndexTests {
    private final class Item {}

    /// Random additions and removals, where the last object takes the position of the removed one.
    @Test(arguments: 0..<8) func findsTheSameObjectsAsTheArray(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let items = (0..<300).map { _ in Item() }
        var array = Array(items.prefix(Int.random(in: 0...40, using: &generator)))
        let index = PlaceIndex(array)
        // First there are more additions, then more removals.
        for step in 0..<2000 {
            let item = items[Int.random(in: 0..<items.count, using: &generator)]
            let place = array.firstIndex { $0 === item }
            #expect(index.place(of: item, in: array) == place)
            let isGrowing = (step / 400).isMultiple(of: 2)
            if let place, !isGrowing || Bool.random(using: &generator) {
                index.remove(at: place, from: array)
                let last = array.removeLast()
                if place < array.count { array[place] = last }
            } else if place == nil, isGrowing || Int.random(in: 0..<4, using: &generator) == 0 {
                array.append(item)
                index.noteLast(of: array)
            }
        }
        for item in items { #expect(index.place(of: item, in: array) == array.firstIndex { $0 === item }) }
    }
}
