import CoreData
import SwiftData
import Testing

/// Constraints and indexes over optional attributes, relationships, enumerations and coordinates.
@Suite struct ConstraintTests {
    @Test func theModelHasTheConstraintsAndIndexes() throws {
        let model = try #require(NSManagedObjectModel.makeManagedObjectModel(for: [Booking.self]))
        let entity = try #require(model.entitiesByName["Booking"])
        let constraints = entity.uniquenessConstraints.map { $0.compactMap { $0 as? String } }
        #expect(constraints == [["row", "hall"], ["code"]])
        #expect(
            entity.indexes.map(\.name) == [
                "SwiftDataIndexOnBinarygenre", "SwiftDataIndexOnBinarycode", "SwiftDataIndexOnBinaryhall",
                "SwiftDataIndexOnBinaryxy", "SwiftDataIndexOnBinaryrow",
            ])
        let types: [NSFetchIndexElementType] = entity.indexes.flatMap { $0.elements.map(\.collationType) }
        #expect(types == [.binary, .binary, .binary, .rTree, .rTree, .binary])
        // What `modelc hash` prints for the declarations.
        #expect(model.versionChecksum == "inACOZCxBGMJfYOUD3OjJubjI8ru9/l7Dn93JiPMZLE=")
        let indices = try #require(Schema([Booking.self]).entitiesByName["Booking"]).indices
        #expect(indices == [["genre"], ["code"], ["hall"], ["x", "y"], ["row"]])
    }

    @Test func modelsAreUpdatedByARelationshipAndAnOptionalAttribute() throws {
        let context = ModelContext(try makeContainer(Booking.self))
        let (first, second) = (Hall(), Hall())
        context.insert(first)
        context.insert(second)
        for hall in [first, second] { context.insert(Booking(row: 1, hall: hall, guest: "a")) }
        context.insert(Booking(row: 2, hall: nil, code: "c", guest: "a"))
        try context.save()
        #expect(try context.fetchCount(FetchDescriptor<Booking>()) == 3)
        context.insert(Booking(row: 1, hall: first, guest: "b"))
        context.insert(Booking(row: 3, hall: second, code: "c", guest: "b"))
        // Null is equal to nothing.
        context.insert(Booking(row: 2, hall: nil, guest: "n"))
        context.insert(Booking(row: 2, hall: nil, guest: "n"))
        try context.save()
        let order = [SortDescriptor(\Booking.row), SortDescriptor(\Booking.guest)]
        let found = try context.fetch(FetchDescriptor(sortBy: order))
        #expect(found.map(\.row) == [1, 1, 2, 2, 3])
        #expect(found.map(\.guest) == ["a", "b", "n", "n", "b"])
        #expect(found.map { $0.hall === first } == [false, true, false, false, false])
    }

    @Test func partsOfStructuresAreRejected() throws {
        let error = #expect(throws: SwiftDataError.unknownSchema) { try makeContainer(PartlyIndexed.self) }
        #expect("\(error as Any)".contains("is not a persistent property of “PartlyIndexed”"))
    }
}

@Model final class Booking {
    #Unique<Booking>([\.row, \.hall], [\.code])
    #Index<Booking>([\.genre], [\.code], [\.hall])
    #Index<Booking>(.rtree([\.x, \.y]), .binary([\.row]))
    var row: Int
    var hall: Hall?
    var code: String?
    var genre = Genre.fiction
    var x = 0.0
    var y = 0.0
    var guest: String

    init(row: Int, hall: Hall?, code: String? = nil, guest: String) {
        self.row = row
        self.hall = hall
        self.code = code
        self.guest = guest
    }
}

@Model final class Hall {
    @Relationship(inverse: \Booking.hall) var bookings: [Booking] = []

    init() {}
}

@Model final class PartlyIndexed {
    #Index<PartlyIndexed>([\.format.width])
    var format = Format(width: 1, height: 2, unit: nil)

    init() {}
}
