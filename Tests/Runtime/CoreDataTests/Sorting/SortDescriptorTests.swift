import CoreData
import Testing

/// NSSortDescriptor: from Apple's reference of the class.
@Suite struct SortDescriptorTests {
    private let context: NSManagedObjectContext

    init() throws {
        context = try Library.context()
    }

    private func sorted(_ titles: [String?], _ descriptor: NSSortDescriptor) throws -> [String?] {
        for title in titles {
            let author = context.make("Author")
            author.setValue(title, forKey: "name")
        }
        try context.save()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.sortDescriptors = [descriptor]
        return try context.fetch(request).map { $0.value(forKey: "name") as? String }
    }

    @Test func descriptorsSortByKey() throws {
        let descriptor = NSSortDescriptor(key: "name", ascending: true)
        #expect(descriptor.key == "name" && descriptor.ascending && descriptor.selector == .compare)
        #expect(NSSortDescriptor(key: nil, ascending: false).key == "self")
        #expect("\(descriptor)" == "(name, ascending, compare:)")
        let names = try sorted(["b", nil, "a", "C"], descriptor)
        #expect(names == [nil, "C", "a", "b"])
    }

    @Test(arguments: [
        ("compare:", ["B", "a", "c"]), ("caseInsensitiveCompare:", ["a", "B", "c"]),
        ("localizedCaseInsensitiveCompare:", ["a", "B", "c"]), ("localizedStandardCompare:", ["a", "B", "c"]),
    ])
    func selectorsSort(_ name: String, _ expected: [String]) throws {
        let descriptor = NSSortDescriptor(key: "name", ascending: true, selector: Selector(name))
        #expect(descriptor.selector == Selector(name) && "\(descriptor)" == "(name, ascending, \(name))")
        #expect(try sorted(["c", "a", "B"], descriptor) == expected)
    }

    /// Numbers in texts are compared by value, as in the Finder.
    @Test func standardComparisonSortsNumbersByValue() throws {
        let descriptor = NSSortDescriptor(key: "name", ascending: false, selector: .localizedStandardCompare)
        #expect(try sorted(["File 10", "File 9", nil], descriptor) == ["File 10", "File 9", nil])
    }

    @Test func customMethodsSort() {
        final class Length: NSObject, PredicateCallable {
            let text: String
            init(_ text: String) { self.text = text }
            func callPredicateMethod(_ selector: String, arguments: [Any?]) -> Any?? {
                guard selector == "compareLength:", let other = arguments.first as? Length else { return nil }
                return .some(text.count - other.text.count)
            }
        }
        let descriptor = NSSortDescriptor(key: "value", ascending: true, selector: "compareLength:")
        let (one, other) = (["value": Length("aaa")], ["value": Length("b")])
        #expect(descriptor.compare(one, to: other) == .orderedDescending)
        #expect(descriptor.compare(one, to: one) == .orderedSame)
    }

    @Test func comparatorsSort() throws {
        let descriptor = NSSortDescriptor(key: "name", ascending: true) { one, other in
            let (one, other) = ((one as? String ?? "").count, (other as? String ?? "").count)
            return one < other ? .orderedAscending : one == other ? .orderedSame : .orderedDescending
        }
        #expect(descriptor.selector == nil)
        #expect(try sorted(["aaa", "b", nil, "cc"], descriptor) == [nil, "b", "cc", "aaa"])
        #expect(descriptor.comparator("a", "bb") == .orderedAscending)
        #expect(descriptor.copy() as? NSSortDescriptor == descriptor)
    }

    @Test func reversedDescriptorsSortBackward() throws {
        let descriptor = NSSortDescriptor(key: "name", ascending: true, selector: .caseInsensitiveCompare)
        let reversed = try #require(descriptor.reversedSortDescriptor as? NSSortDescriptor)
        #expect(!reversed.ascending && reversed.key == "name" && reversed.selector == .caseInsensitiveCompare)
        #expect(reversed.reversedSortDescriptor as? NSSortDescriptor == descriptor)
        #expect(try sorted(["a", "C", "b"], reversed) == ["C", "b", "a"])
    }

    @Test func equalDescriptorsHaveEqualParts() {
        let one = NSSortDescriptor(key: "name", ascending: true)
        #expect(one == NSSortDescriptor(key: "name", ascending: true))
        #expect(one == NSSortDescriptor(key: "name", ascending: true, selector: "compare:"))
        #expect(one != NSSortDescriptor(key: "name", ascending: false))
        #expect(one != NSSortDescriptor(key: "age", ascending: true))
        #expect(one != NSSortDescriptor(key: "name", ascending: true, selector: .localizedCompare))
        #expect(
            one.hash == NSSortDescriptor(key: "name", ascending: true).hash && one.copy() as? NSSortDescriptor == one)
        let block = NSSortDescriptor(key: "name", ascending: true) { _, _ in .orderedSame }
        #expect(block != one && block == block)
        #expect(block != NSSortDescriptor(key: "name", ascending: true) { _, _ in .orderedSame })
    }

    @Test func descriptorsRoundTripThroughArchives() throws {
        for descriptor in [
            NSSortDescriptor(key: "a.b", ascending: false),
            NSSortDescriptor(key: "name", ascending: true, selector: .localizedStandardCompare),
        ] {
            let data = try NSKeyedArchiver.archivedData(withRootObject: descriptor, requiringSecureCoding: true)
            let back = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSSortDescriptor.self, from: data)
            #expect(back == descriptor)
        }
        let list = [NSSortDescriptor(key: "a", ascending: true), NSSortDescriptor(key: "b", ascending: true)]
        let data = try NSKeyedArchiver.archivedData(withRootObject: list, requiringSecureCoding: true)
        let back = try NSKeyedUnarchiver.unarchivedObject(
            ofClasses: [NSArray.self, NSSortDescriptor.self], from: data)
        #expect(back as? [NSSortDescriptor] == list)
    }

    @Test func comparatorsCannotBeArchived() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let block = NSSortDescriptor(key: "name", ascending: true) { _, _ in .orderedSame }
            _ = try NSKeyedArchiver.archivedData(withRootObject: block, requiringSecureCoding: true)
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("a sort descriptor with a comparator cannot be archived"))
    }

    @Test func unknownSelectorsTrap() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NSSortDescriptor(key: nil, ascending: true, selector: "compareShape:").compare("a", to: "b")
        }
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains("compareShape:"))
    }

    @Test func selectorsHaveTheirNames() {
        #expect(NSStringFromSelector(.compare) == "compare:" && NSSelectorFromString("a:b:") == Selector("a:b:"))
        #expect("\(Selector("x:"))" == "x:")
    }
}
