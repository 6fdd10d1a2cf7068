import SwiftData
import Testing

@Suite struct RedeclarationTests {
    /// Entities cannot have two properties of one name, although Swift allows private ones in a class and a subclass.
    @Test func twoPropertiesOfOneName() {
        do {
            _ = try makeContainer(Vessel.self, Ship.self)
            Issue.record("the container was created")
        } catch {
            #expect(error as? SwiftDataError == .unknownSchema)
            #expect("\(error)".contains("“Ship” and its superclass “Vessel” both declare “kindRaw”"), "\(error)")
        }
        // Without a container, both have their values.
        let ship = Ship(2, vessel: 1)
        #expect(ship.kinds == [1, 2] && ship.length == 3)
    }
}

@Model class Vessel {
    private var kindRaw: Int
    var name = ""

    init(_ kind: Int) { kindRaw = kind }

    var vesselKind: Int { kindRaw }
}

@Model final class Ship: Vessel {
    private var kindRaw: Int
    var length = 3

    init(_ kind: Int, vessel: Int) {
        kindRaw = kind
        super.init(vessel)
    }

    var kinds: [Int] { [vesselKind, kindRaw] }
}
