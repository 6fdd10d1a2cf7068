import CoreData
import Testing

/// `mutableOrderedSetValue(forKey:)`: each way to change the set changes the relationship (NSMutableOrderedSet's
/// documentation).
@Suite(.overAllStores) struct OrderedSetTests {
    private func shelf(_ body: (NSMutableOrderedSet, [NSManagedObject]) -> Void) throws -> String {
        let coordinator = try Library.coordinator()
        let context = try Library.context(coordinator)
        let books = "abcdef".map { context.make("Book", ["title": "\($0)"]) }
        let shelf = context.make("Shelf")
        shelf.setValue(NSOrderedSet(array: Array(books[0..<4])), forKey: "volumes")
        let set = shelf.mutableOrderedSetValue(forKey: "volumes")
        body(set, books)
        let result = shelf.names("volumes").joined()
        // Both sides agree, the set agrees with the relationship, and everything can be saved.
        let other = books.filter { $0.value(forKey: "shelf") != nil }
        #expect(Set(other) == Set((shelf.value(forKey: "volumes") as? NSOrderedSet)?.array as? [NSManagedObject] ?? []))
        #expect(set.count == result.count)
        #expect(set.array.map { ($0 as? NSManagedObject)?.value(forKey: "title") as? String ?? "" }.joined() == result)
        #expect(set.map { ($0 as? NSManagedObject)?.value(forKey: "title") as? String ?? "" }.joined() == result)
        #expect((set.copy() as? NSOrderedSet)?.count == result.count)
        try context.save()
        let fresh = try Library.context(coordinator)
        #expect(try fresh.all("Shelf").first?.names("volumes").joined() == result)
        return result
    }

    @Test func addsMembers() throws {
        #expect(try shelf { set, books in set.add(books[5]) } == "abcdf")
        #expect(try shelf { set, books in set.add(books[0]) } == "abcd")
        #expect(try shelf { set, books in set.addObjects(from: [books[5], books[1], books[4]]) } == "abcdfe")
        #expect(try shelf { set, books in set.insert(books[4], at: 1) } == "aebcd")
        #expect(try shelf { set, books in set.insert([books[4], books[5]], at: [0, 2]) } == "eafbcd")
        #expect(try shelf { set, books in set.union(NSOrderedSet(array: [books[0], books[5]])) } == "abcdf")
        #expect(try shelf { set, books in set.setObject(books[5], at: 4) } == "abcdf")
    }

    @Test func removesMembers() throws {
        #expect(try shelf { set, books in set.remove(books[1]) } == "acd")
        #expect(try shelf { set, books in set.remove(books[5]) } == "abcd")
        #expect(try shelf { set, _ in set.removeObject(at: 0) } == "bcd")
        #expect(try shelf { set, books in set.removeObjects(in: [books[0], books[3], books[5]]) } == "bc")
        #expect(try shelf { set, _ in set.removeObjects(at: [0, 2]) } == "bd")
        #expect(try shelf { set, _ in set.removeObjects(in: NSRange(location: 1, length: 2)) } == "ad")
        #expect(try shelf { set, _ in set.removeAllObjects() } == "")
        #expect(try shelf { set, books in set.minus(NSOrderedSet(array: [books[0], books[5]])) } == "bcd")
        #expect(try shelf { set, books in set.intersect(NSOrderedSet(array: [books[2], books[0], books[5]])) } == "ac")
        #expect(try shelf { set, books in set.minusSet([books[0]]) } == "bcd")
        #expect(try shelf { set, books in set.intersectSet([books[1]]) } == "b")
    }

    @Test func replacesAndMovesMembers() throws {
        #expect(try shelf { set, books in set.replaceObject(at: 1, with: books[5]) } == "afcd")
        #expect(try shelf { set, books in set.replaceObjects(at: [0, 3], with: [books[4], books[5]]) } == "ebcf")
        #expect(try shelf { set, books in set[0] = books[5] } == "fbcd")
        #expect(try shelf { set, _ in set.exchangeObject(at: 0, withObjectAt: 3) } == "dbca")
        // The objects are removed before the index is used.
        #expect(try shelf { set, _ in set.moveObjects(at: [0, 1], to: 1) } == "cabd")
        #expect(
            try shelf { set, _ in
                set.sort { one, other in
                    let titles = [one, other].map { ($0 as? NSManagedObject)?.value(forKey: "title") as? String ?? "" }
                    return titles[0] > titles[1] ? .orderedAscending : .orderedDescending
                }
            } == "dcba")
        #expect(try shelf { set, _ in set.sort(using: [NSSortDescriptor(key: "title", ascending: false)]) } == "dcba")
    }
}
