import CoreData
import Testing

/// A custom value class.
final class Color: NSObject, NSSecureCoding {
    static let supportsSecureCoding = true
    let name: String

    init(_ name: String) {
        self.name = name
    }

    init?(coder: NSCoder) {
        guard let name = coder.decodeObject(of: NSString.self, forKey: "name") else { return nil }
        self.name = name as String
    }

    func encode(with coder: NSCoder) { coder.encode(name as NSString, forKey: "name") }
}

/// Value transformers: the registry, and the secure transformer named in models.
@Suite(.overAllStores) struct TransformerTests {
    final class ColorTransformer: NSSecureUnarchiveFromDataTransformer {
        override class var allowedTopLevelClasses: [AnyClass] { [Color.self] }
    }

    @Test func transformersAreRegisteredByName() {
        let name = NSValueTransformerName("TransformerTests.registry")
        #expect(ValueTransformer(forName: name) == nil)
        ValueTransformer.setValueTransformer(ColorTransformer(), forName: name)
        #expect(ValueTransformer(forName: name) is ColorTransformer)
        #expect(ValueTransformer.valueTransformerNames().contains(name))
        ValueTransformer.setValueTransformer(nil, forName: name)
        #expect(ValueTransformer(forName: name) == nil)
    }

    @Test func commonTransformersExist() {
        #expect(ValueTransformer(forName: .negateBooleanTransformerName)?.transformedValue(true) as? Bool == false)
        #expect(ValueTransformer(forName: .isNilTransformerName)?.transformedValue(nil) as? Bool == true)
        #expect(ValueTransformer(forName: .isNotNilTransformerName)?.transformedValue(1) as? Bool == true)
    }

    @Test func secureUnarchivingRoundTrips() throws {
        let transformer = try #require(ValueTransformer(forName: .secureUnarchiveFromDataTransformerName))
        let value: NSDictionary = ["a": NSArray(array: [1, "b"])]
        let data = try #require(transformer.reverseTransformedValue(value) as? Data)
        #expect(transformer.transformedValue(data) as? NSDictionary == value)
        #expect(transformer.transformedValue(nil) == nil && transformer.reverseTransformedValue(nil) == nil)
        #expect(transformer.transformedValue(Data([1, 2, 3])) == nil)
    }

    @Test func onlyAllowedClassesAreUnarchived() throws {
        let own = ColorTransformer()
        let data = try #require(own.reverseTransformedValue(Color("red")) as? Data)
        #expect((own.transformedValue(data) as? Color)?.name == "red")
        // The common transformer does not know the class.
        #expect(NSSecureUnarchiveFromDataTransformer().transformedValue(data) == nil)
    }

    /// A custom transformer rejects classes that it does not allow, even if the common transformer allows them.
    @Test func customTransformersRejectOtherTopLevelClasses() throws {
        let objects: [NSObject] = [
            NSDate(timeIntervalSinceReferenceDate: 0), NSString(string: "red"), NSNumber(value: 1), NSData(), NSArray(),
        ]
        for object in objects {
            let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
            #expect(ColorTransformer().transformedValue(data) == nil)
            #expect(NSSecureUnarchiveFromDataTransformer().transformedValue(data) as? NSObject == object)
        }
    }

    @Test func transformableAttributesRoundTrip() throws {
        let context = try Library.context()
        let book = context.make("Book", ["extra": ["a": 1]])
        try context.save()
        context.refresh(book, mergeChanges: false)
        #expect(book.value(forKey: "extra") as? [String: Int] == ["a": 1])
    }
}
