import CoreData
import TestSupport
import Testing

/// Random graphs, and random damage, in XML and binary stores.
@Suite struct FormatStoreFuzzTests {
    private static func text(_ numbers: inout SeededGenerator) -> String {
        let scalars: [Unicode.Scalar] = [
            "a", "<", ">", "&", "\\", "u", "0", "\"", "'", "\n", "\r", "\t", "\u{0}", "\u{1F}", "\u{7F}", "\u{85}", "é",
            "]",
            "\u{2028}", "\u{FFFE}", "\u{FFFF}", "\u{10FFFF}", "😀", " ", ";",
        ]
        var text = ""
        for _ in 0..<Int.random(in: 0..<8, using: &numbers) {
            text.unicodeScalars.append(scalars.randomElement(using: &numbers) ?? "a")
        }
        return text
    }

    private static func value(_ type: NSAttributeType, _ numbers: inout SeededGenerator) -> Any? {
        if numbers.chance(5) { return nil }
        let bits = numbers.next()
        switch type {
        case .integer32AttributeType: return Int(Int32(truncatingIfNeeded: bits))
        case .booleanAttributeType: return bits.isMultiple(of: 2)
        case .doubleAttributeType: return numbers.chance(6) ? Double.infinity : Double(bitPattern: bits & ~(1 << 62))
        case .floatAttributeType: return Float(bitPattern: UInt32(truncatingIfNeeded: bits) & ~(1 << 30))
        case .dateAttributeType: return Date(timeIntervalSinceReferenceDate: Double(bits) / 1e12)
        case .decimalAttributeType:
            return NSDecimalNumber(
                mantissa: bits, exponent: Int16.random(in: -40...40, using: &numbers), isNegative: numbers.chance(2))
        case .stringAttributeType: return text(&numbers)
        case .binaryDataAttributeType:
            return Data(
                (0..<Int.random(in: 0..<150, using: &numbers)).map { _ in UInt8.random(in: 0...255, using: &numbers) })
        case .UUIDAttributeType:
            return withUnsafeBytes(of: (bits, numbers.next())) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
        case .URIAttributeType: return URL(string: "https://example.org/\(bits)?a=1&b='")
        case .transformableAttributeType: return [text(&numbers), NSNumber(value: bits >> 1)] as NSArray
        default: return nil
        }
    }

    private static func fill(_ context: NSManagedObjectContext, _ numbers: inout SeededGenerator) throws {
        let names = ["Author", "Book", "Novel", "Tag", "Shelf"]
        let objects = (0..<Int.random(in: 0..<25, using: &numbers)).map { _ in
            context.make(names.randomElement(using: &numbers) ?? "Tag")
        }
        for object in objects {
            for (name, attribute) in object.entity.attributesByName.sorted(by: { $0.key < $1.key })
            where !attribute.isTransient {
                let value = value(attribute.attributeType, &numbers)
                if value != nil || attribute.isOptional { object.setValue(value, forKey: name) }
            }
            for (name, relationship) in object.entity.relationshipsByName.sorted(by: { $0.key < $1.key }) {
                let others = objects.filter { $0.entity.isKindOf(entity: relationship.destinationEntity ?? $0.entity) }
                guard let other = others.randomElement(using: &numbers), numbers.chance(2) else { continue }
                if relationship.isOrdered {
                    object.mutableOrderedSetValue(forKey: name).insert(other, at: 0)
                } else if relationship.isToMany {
                    object.mutableSetValue(forKey: name).add(other)
                } else {
                    object.setValue(other, forKey: name)
                }
            }
        }
    }

    /// Returns the content of a store as text that shows each bit.
    private static func contents(_ context: NSManagedObjectContext) throws -> [String] {
        func name(_ object: Any) -> String {
            (object as? NSManagedObject)?.objectID.uriRepresentation().lastPathComponent ?? "?"
        }
        return try ["Author", "Book", "Tag", "Shelf"].flatMap { try context.all($0) }.map { object in
            let attributes = object.entity.attributesByName.filter { !$0.value.isTransient }.keys.sorted().map { key in
                switch object.value(forKey: key) {
                case let text as String: "\(key)=\(Array(text.utf8))"
                case let data as Data: "\(key)=\(data.base64EncodedString())"
                case let date as Date: "\(key)=\(date.timeIntervalSinceReferenceDate.bitPattern)"
                case let list as NSArray: "\(key)=\(list.map { "\(Array("\($0)".utf8))" })"
                case let value: "\(key)=\(value.map { "\($0)" } ?? "nil")"
                }
            }
            let relationships = object.entity.relationshipsByName.keys.sorted().map { key in
                switch object.value(forKey: key) {
                case let set as NSOrderedSet: "\(key)=\(set.array.map(name))"
                case let set as NSSet: "\(key)=\(set.allObjects.map(name).sorted())"
                case let value: "\(key)=\(value.map(name) ?? "nil")"
                }
            }
            return "\(object.entity.name ?? "") \(name(object)) \(attributes) \(relationships)"
        }.sorted()
    }

    @Test(arguments: FormatStoreTests.types) func randomGraphsRoundTrip(_ type: String) {
        Seeds.run(rounds: 4) { numbers, _ in
            var numbers = numbers
            let stack = try FormatStack(type)
            defer { stack.remove() }
            for _ in 0..<2 {
                let context = try stack.context()
                try Self.fill(context, &numbers)
                if let object = try context.all("Book").randomElement(using: &numbers) { context.delete(object) }
                try context.save()
                context.refreshAllObjects()
                let expected = try Self.contents(context)
                let again = try FormatStack(type, stack.url)
                defer { again.remove() }
                #expect(try Self.contents(try again.context()) == expected)
            }
        }
    }

    /// A damaged file yields an error unless the damage is still valid; it never traps, and is not changed.
    @Test(arguments: FormatStoreTests.types) func damagedFilesAreErrors(_ type: String) throws {
        let stack = try FormatStack(type)
        defer { stack.remove() }
        try FormatStoreTests.fill(try stack.context())
        let original = [UInt8](try stack.bytes())
        Seeds.run(rounds: 24) { numbers, log in
            var numbers = numbers
            var bytes = original
            for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                let index = Int.random(in: 0..<bytes.count, using: &numbers)
                let end = min(bytes.count, index + Int.random(in: 1...40, using: &numbers))
                switch Int.random(in: 0..<4, using: &numbers) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &numbers)
                case 1: bytes.removeSubrange(index..<end)
                case 2: bytes.insert(contentsOf: bytes[index..<end], at: index)
                default: bytes.removeSubrange(index...)
                }
                if bytes.isEmpty { bytes = [60] }
            }
            log.append(bytes.count < 2000 ? String(decoding: bytes, as: UTF8.self) : "\(bytes.count) bytes")
            try Data(bytes).write(to: stack.url)
            do {
                let damaged = try FormatStack(type, stack.url)
                defer { damaged.remove() }
                _ = try Self.contents(try damaged.context())
                // A checksum covers all of a binary file.
                #expect(type == NSXMLStoreType || bytes == original)
            } catch {
                #expect((error as NSError).domain == NSCocoaErrorDomain)
            }
            #expect([UInt8](try stack.bytes()) == bytes)
            _ = try? NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: stack.url)
        }
    }
}
