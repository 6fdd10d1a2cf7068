import SwiftData
import Testing

/// Declarations that the macro reads.
@Suite struct BaseClassTests {
    /// Protocol names in a declaration mark a base class; a class name that only ends like one does not.
    @Test func baseClassesMayBeNamedLikeProtocols() throws {
        let context = ModelContext(
            try makeContainer(BasePersistentModel.self, PlainNote.self, AuditedSendable.self, AuditedNote.self))
        context.insert(PlainNote())
        context.insert(AuditedNote())
        try context.save()
        let other = ModelContext(context.container)
        let plain = try #require(try other.fetch(FetchDescriptor<PlainNote>()).first)
        let audited = try #require(try other.fetch(FetchDescriptor<AuditedNote>()).first)
        #expect(plain.code == 1 && plain.text == "plain" && audited.code == 2 && audited.text == "audited")
        #expect(try other.fetchCount(FetchDescriptor<BasePersistentModel>()) == 1)
    }

    @Test(arguments: [true, false]) func initialValuesMayBeConditions(isInserted: Bool) throws {
        let model = Conditional()
        let context = ModelContext(try makeContainer(Conditional.self))
        if isInserted { context.insert(model) }
        try context.save()
        #expect(model.size == 2 && model.name == "two" && model.note == nil && model.limit == 7)
        let defaults = Schema([Conditional.self]).entitiesByName["Conditional"]?.attributesByName.mapValues(
            \.defaultValue)
        #expect(defaults?["size"] as? Int == 2 && defaults?["name"] as? String == "two")
        #expect(defaults?["limit"] as? Int == 7)
    }
}

@Model class BasePersistentModel {
    var code = 1

    init() {}
}

@Model final class PlainNote: BasePersistentModel {
    var text = "plain"

    override init() { super.init() }
}

@Model class AuditedSendable {
    var code = 2

    init() {}
}

@Model final class AuditedNote: AuditedSendable, CustomStringConvertible {
    var text = "audited"

    override init() { super.init() }

    var description: String { text }
}

private let two = 2

@Model final class Conditional {
    var size: Int = if two > 1 { two } else { 0 }
    var name: String =
        switch two {
        case 2: "two"
        default: "other"
        }
    var note: String? = if two > 2 { "note" } else { nil }
    var limit = if two > 1 { 7 } else { 8 }

    init() {}
}
