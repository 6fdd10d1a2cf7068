import ModelSchema
import SwiftDataModel
import Testing

/// The inverses of relationships in `@Model` sources (Documentation/Formats/SwiftDataModel.md, 2 to 4).
@Suite struct InverseTests {
    private func inverses(_ text: String) throws -> [String] {
        let sources = SwiftDataSources([SwiftSourceFile(path: "0.swift", bytes: Array(text.utf8))])
        #expect(sources.findings.map(\.message) == [])
        return try #require(sources.versions.first).model.entities.flatMap { entity in
            entity.relationships.map { "\(entity.name).\($0.name)=\($0.inverseName ?? "-")" }
        }
    }

    @Test func writtenInversesSetBothEnds() throws {
        #expect(
            try inverses(
                """
                @Model class A { @Relationship(deleteRule: .cascade, inverse: \\B.a) var bs: [B]; var c: B? }
                @Model class B { var a: A }
                """) == ["A.bs=a", "A.c=-", "B.a=bs"])
    }

    @Test func aPlainPairIsInferred() throws {
        #expect(try inverses("@Model class A { var bs: [B] }\n@Model class B { var a: A? }") == ["A.bs=a", "B.a=bs"])
        #expect(try inverses("@Model class A { var b: B? }\n@Model class B { var a: A? }") == ["A.b=a", "B.a=b"])
        #expect(
            try inverses("@Model class A { @Relationship var bs: [B] }\n@Model class B { var a: A? }") == [
                "A.bs=a", "B.a=bs",
            ])
    }

    @Test func aRequiredEndHasNoInverse() throws {
        #expect(try inverses("@Model class A { var bs: [B] }\n@Model class B { var a: A }") == ["A.bs=-", "B.a=-"])
    }

    @Test func twoMacrosAreNotPaired() throws {
        #expect(
            try inverses("@Model class A { @Relationship var bs: [B] }\n@Model class B { @Relationship var a: A? }")
                == ["A.bs=-", "B.a=-"])
    }

    @Test func severalCandidatesAreNotPaired() throws {
        #expect(
            try inverses("@Model class A { var bs: [B] }\n@Model class B { var a: A?; var other: A? }")
                == ["A.bs=-", "B.a=-", "B.other=-"])
    }

    @Test func oneWayEndsAreNotPaired() throws {
        let one = "@Model class A { @Relationship(inverse: nil) var bs: [B] }\n"
        #expect(try inverses(one + "@Model class B { var a: A? }") == ["A.bs=-", "B.a=-"])
        // The other property is then the only candidate.
        let two = "@Model class A { @Relationship(inverse: nil) var b: B?; var bs: [B] }\n"
        #expect(try inverses(two + "@Model class B { var a: A? }") == ["A.b=-", "A.bs=a", "B.a=bs"])
        #expect(try inverses("@Model class A { @Relationship(inverse: nil) var next: A? }") == ["A.next=-"])
    }
}
