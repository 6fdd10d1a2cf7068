import CoreData
import Testing

/// The operators that copies of sources have in place of casts between fetch requests.
@Suite struct FetchRequestCastTests {
    @Test func aRequestOfAnotherTypeIsConverted() {
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        request.fetchLimit = 3
        request.affectedStores = []
        let converted = request ~>! NSFetchRequest<NSManagedObject>.self
        #expect(converted.entityName == "Book" && converted.fetchLimit == 3 && converted.affectedStores == [])
        #expect((request ~>? NSFetchRequest<NSNumber>.self)?.entityName == "Book")
    }

    @Test func aRequestOfTheTypeIsReturnedItself() {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        #expect(request as Any ~>! NSFetchRequest<NSManagedObject>.self === request)
    }

    @Test func otherValuesAreNotConverted() {
        #expect(nil ~>? NSFetchRequest<NSManagedObject>.self == nil)
        #expect("Book" ~>? NSFetchRequest<NSManagedObject>.self == nil)
        #expect(NSBatchDeleteRequest(objectIDs: []) ~>? NSFetchRequest<NSManagedObject>.self == nil)
    }
}
