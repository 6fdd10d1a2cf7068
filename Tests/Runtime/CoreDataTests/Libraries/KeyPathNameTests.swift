import CoreData
import Testing

/// `_kvcKeyPathString`, by which libraries turn key paths into keys.
@Suite struct KeyPathNameTests {
    @Test func identityKeyPathsAreSelf() {
        #expect((\Double.self)._kvcKeyPathString == "self" && (\String.self)._kvcKeyPathString == "self")
        #expect((\Volume.self)._kvcKeyPathString == "self" && (\NSObject.self)._kvcKeyPathString == "self")
        #expect((\String.count)._kvcKeyPathString == nil)
    }

    @Test func subscriptsHaveNoName() throws {
        // The model is known as long as its coordinator exists.
        let coordinator = try Volume.coordinator()
        #expect((\Labeled.labels)._kvcKeyPathString == "labels")
        #expect((\Labeled.labels[0])._kvcKeyPathString == nil && (\Labeled.labels[0].count)._kvcKeyPathString == nil)
        #expect((\Labeled.next?.labels[1])._kvcKeyPathString == nil)
        #expect((\Labeled.next?.labels)._kvcKeyPathString == "next.labels")
        #expect((\Labeled[label: "a"])._kvcKeyPathString == nil)
        withExtendedLifetime(coordinator) {}
    }

    @Test func keyPathsInGenericCodeHaveNames() throws {
        func name<Root: Named>(_ type: Root.Type) -> String? { (\Root.named)._kvcKeyPathString }
        #expect(name(Labeled.self) == "named")
    }
}

/// A class in no model with accessors as modelc's build plugin writes them.
final class Labeled: NSManagedObject, Named {
    var labels: [String] {
        get { readManaged("labels") }
        set { writeManaged(newValue, "labels") }
    }
    var next: Labeled? {
        get { readManaged("next") }
        set { writeManaged(newValue, "next") }
    }
    var named: String? {
        get { readManaged("named") }
        set { writeManaged(newValue, "named") }
    }
    subscript(label label: String) -> Bool { labels.contains(label) }
}

protocol Named: NSManagedObject {
    var named: String? { get set }
}
