import CoreDataFoundationExtras
import Foundation
import Testing

@Suite struct NSMapTableTests {
    private final class Value {}

    @Test func strongKeysAreComparedByValue() {
        let table = NSMapTable<NSString, NSString>.strongToStrongObjects()
        table.setObject(NSString(string: "a"), forKey: NSString(string: "k"))
        #expect(table.object(forKey: NSString(string: "k")) == NSString(string: "a"))
        table.setObject(NSString(string: "b"), forKey: NSString(string: "k"))
        #expect(table.count == 1)
        table.removeObject(forKey: NSString(string: "k"))
        #expect(table.count == 0)
    }

    @Test func weakValuesDisappear() {
        let table = NSMapTable<NSString, Value>.strongToWeakObjects()
        var value: Value? = Value()
        table.setObject(value, forKey: "k")
        #expect(table.object(forKey: "k") === value)
        value = nil
        #expect(table.object(forKey: "k") == nil)
        #expect(table.count == 0)
    }

    @Test func weakKeysDisappearWithTheirValues() {
        let table = NSMapTable<Value, NSString>.weakToStrongObjects()
        var key: Value? = Value()
        table.setObject("a", forKey: key)
        #expect(table.count == 1)
        key = nil
        #expect(table.count == 0 && table.keyEnumerator().nextObject() == nil)
    }

    @Test func aTableOfReleasedObjectsStaysSmall() {
        let members = NSHashTable<Value>.weakObjects()
        let kept = Value()
        members.add(kept)
        for _ in 0..<10_000 { members.add(Value()) }
        #expect(members.allObjects.count == 1 && members.contains(kept) && !members.contains(Value()))
        members.remove(kept)
        #expect(members.count == 0)
    }

    @Test func localizedTextsHaveKeysWithSpecifiers() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let name = "Anna", percent = 50
        #expect(
            String(localized: "a \(name) has \(percent)% of \(2.5)", locale: Locale(identifier: "en_US"))
                == "a Anna has 50% of 2.500000")
        #expect(String(localized: "100%") == "100%")
    }
}
