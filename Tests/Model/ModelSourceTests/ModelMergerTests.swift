import Testing

@testable import ModelSource

/// Three-way merges by entity and property name.
@Suite struct ModelMergerTests {
    private static let base = model(
        """
        <entity name="A">
            <attribute name="n" optional="YES" attributeType="String"/>
            <attribute name="t" attributeType="Integer 32" defaultValueString="0"/>
            <relationship name="r" maxCount="1" destinationEntity="A"/>
            <fetchIndex name="i">
                <fetchIndexElement property="n" type="Binary" order="ascending"/>
            </fetchIndex>
            <uniquenessConstraints>
                <uniquenessConstraint>
                    <constraint value="n"/>
                </uniquenessConstraint>
            </uniquenessConstraints>
            <userInfo>
                <entry key="k" value="1"/>
            </userInfo>
        </entity>
        <entity name="B"/>
        <elements>
            <element name="A" positionX="0"/>
        </elements>
        """)

    private static func model(_ inside: String, tools: String = "100") -> String {
        let text = "<model lastSavedToolsVersion=\"\(tools)\" systemVersion=\"s\(tools)\">\(inside)</model>"
        return (try? ModelFormatter.format(Array(text.utf8), path: "")).map { String(decoding: $0, as: UTF8.self) }
            ?? text
    }

    private static func merge(_ ours: String, _ theirs: String) throws -> (text: String, conflicts: [String]) {
        try merge(base, ours, theirs)
    }

    private static func merge(
        _ base: String, _ ours: String, _ theirs: String
    ) throws -> (text: String, conflicts: [String]) {
        let result = try ModelMerger.merge(
            base: Array(base.utf8), ours: Array(ours.utf8), theirs: Array(theirs.utf8), path: "contents",
            markers: ConflictMarkerStyle())
        return (String(decoding: result.bytes, as: UTF8.self), result.conflicts)
    }

    /// Merges in both directions, and checks that the results are equal and have no conflicts.
    private static func clean(_ ours: (String) -> String, _ theirs: (String) -> String) throws -> String {
        let (one, other) = (try merge(ours(base), theirs(base)), try merge(theirs(base), ours(base)))
        #expect(one.conflicts.isEmpty && other.conflicts.isEmpty)
        #expect(one.text == other.text)
        return one.text
    }

    @Test func unchangedSidesTakeTheOther() throws {
        let changed = Self.base.replacing("name=\"B\"", with: "name=\"C\"")
        #expect(try Self.merge(Self.base, Self.base).text == Self.base)
        #expect(try Self.merge(changed, Self.base).text == changed)
        #expect(try Self.merge(Self.base, changed).text == changed)
        #expect(try Self.merge(changed, changed).text == changed)
    }

    @Test func additionsOfBothSidesAreKept() throws {
        let text = try Self.clean(
            { $0.replacing("<entity name=\"B\"/>", with: "<entity name=\"B\"/><entity name=\"C\"/>") },
            { $0.replacing("<entity name=\"B\"/>", with: "<entity name=\"B\"/><entity name=\"D\"/>") })
        #expect(
            text
                == Self.base.replacing(
                    "<entity name=\"B\"/>",
                    with: "<entity name=\"B\"/>\n    <entity name=\"C\"/>\n    <entity name=\"D\"/>"))
    }

    @Test func differentAttributesOfOneTagAreMerged() throws {
        let text = try Self.clean(
            { $0.replacing("name=\"n\" optional=\"YES\"", with: "name=\"n\"") },
            {
                $0.replacing(
                    "name=\"n\" optional=\"YES\" attributeType=\"String\"",
                    with: "name=\"n\" optional=\"YES\" attributeType=\"String\" elementID=\"o\"")
            })
        #expect(text.contains("<attribute name=\"n\" attributeType=\"String\" elementID=\"o\"/>"))
    }

    @Test func removalsOfUnchangedElementsApply() throws {
        let text = try Self.clean(
            { $0.replacing("<entity name=\"B\"/>", with: "") },
            { $0.replacing("value=\"1\"", with: "value=\"2\"") })
        #expect(!text.contains("\"B\""))
        #expect(text.contains("<entry key=\"k\" value=\"2\"/>"))
    }

    @Test func constraintsAndUserInfoAreMergedAsSets() throws {
        func adding(_ name: String) -> (String) -> String {
            {
                $0.replacing(
                    "</uniquenessConstraints>",
                    with:
                        "<uniquenessConstraint><constraint value=\"\(name)\"/></uniquenessConstraint></uniquenessConstraints>"
                )
                .replacing("</userInfo>", with: "<entry key=\"\(name)\" value=\"\"/></userInfo>")
            }
        }
        let (text, conflicts) = try Self.merge(adding("t")(Self.base), adding("r")(Self.base))
        #expect(conflicts.isEmpty)
        for name in ["n", "t", "r"] { #expect(text.contains("<constraint value=\"\(name)\"/>")) }
        for name in ["k", "t", "r"] { #expect(text.contains("<entry key=\"\(name)\"")) }
    }

    @Test func toolVersionsAndPositionsMergeWithoutConflict() throws {
        func saved(_ tools: String, _ x: String) -> (String) -> String {
            {
                $0.replacing("\"100\"", with: "\"\(tools)\"").replacing("s100", with: "s\(tools)").replacing(
                    "positionX=\"0\"", with: "positionX=\"\(x)\"")
            }
        }
        let (text, conflicts) = try Self.merge(saved("99.5", "1")(Self.base), saved("100.10", "2")(Self.base))
        #expect(conflicts.isEmpty)
        #expect(text.contains("lastSavedToolsVersion=\"100.10\" systemVersion=\"s100.10\""))
        #expect(text.contains("positionX=\"1\""))
    }

    // MARK: Conflicts

    @Test func changesOfOneAttributeConflict() throws {
        let (text, conflicts) = try Self.merge(
            Self.base.replacing("\"Integer 32\"", with: "\"Integer 64\""),
            Self.base.replacing("defaultValueString=\"0\"", with: "defaultValueString=\"1\""))
        #expect(
            conflicts == [
                "attribute A.t: attributeType is “Integer 64” here and “Integer 32” there, defaultValueString is “0” here and “1” there"
            ])
        let marked = """
            <<<<<<< ours
                    <attribute name="t" attributeType="Integer 64" defaultValueString="0"/>
            =======
                    <attribute name="t" attributeType="Integer 32" defaultValueString="1"/>
            >>>>>>> theirs
            """
        #expect(
            text
                == Self.base.replacing(
                    "        <attribute name=\"t\" attributeType=\"Integer 32\" defaultValueString=\"0\"/>",
                    with: marked))
        #expect(try Self.resolved(text).ours == Self.base.replacing("\"Integer 32\"", with: "\"Integer 64\""))
    }

    @Test func removalConflictsWithChange() throws {
        let removed = Self.base.replacing(
            "        <relationship name=\"r\" maxCount=\"1\" destinationEntity=\"A\"/>\n", with: "")
        let changed = Self.base.replacing("destinationEntity=\"A\"", with: "destinationEntity=\"B\"")
        for (ours, theirs) in [(removed, changed), (changed, removed)] {
            let (text, conflicts) = try Self.merge(ours, theirs)
            #expect(conflicts.count == 1 && conflicts[0].hasPrefix("relationship A.r: removed on "))
            let sides = try Self.resolved(text)
            #expect(sides.ours == ours)
            #expect(sides.theirs == theirs)
        }
    }

    @Test func differentAdditionsOfOneNameConflict() throws {
        func adding(_ attributes: String, _ inside: String) -> String {
            Self.model("<entity name=\"A\"/><entity name=\"N\" \(attributes)>\(inside)</entity>")
        }
        let base = Self.model("<entity name=\"A\"/>")
        let (text, conflicts) = try Self.merge(
            base, adding("isAbstract=\"YES\"", "<attribute name=\"x\"/>"),
            adding("parentEntity=\"A\"", "<attribute name=\"y\"/>"))
        #expect(
            conflicts == [
                "entity N, new on both sides: isAbstract is “YES” here and absent there, parentEntity is absent here and “A” there"
            ])
        #expect(try Self.resolved(text).theirs.contains("<entity name=\"N\" parentEntity=\"A\">"))
        #expect(text.contains("name=\"x\"") && text.contains("name=\"y\""))
    }

    @Test func indexesAreMergedAsAWhole() throws {
        func index(_ name: String) -> String {
            Self.base.replacing(
                "</fetchIndex>",
                with: "<fetchIndexElement property=\"\(name)\" type=\"Binary\" order=\"ascending\"/></fetchIndex>")
        }
        let (text, conflicts) = try Self.merge(index("t"), index("r"))
        #expect(conflicts == ["fetchIndex A.i: changed on both sides"])
        #expect(try Self.resolved(text).theirs == Self.format(index("r")))
    }

    /// Without an ancestor, an element that one side has may have been removed by the other.
    @Test func everyDifferenceOfFilesWithoutBaseIsAConflict() throws {
        let (ours, theirs) = (
            Self.model("<entity name=\"A\"/><entity name=\"C\" isAbstract=\"YES\"/>"),
            Self.model("<entity name=\"B\"/><entity name=\"C\"/>", tools: "200")
        )
        let (text, conflicts) = try Self.merge("", ours, theirs)
        #expect(
            conflicts.sorted() == [
                "entity A: only on our side, which has added it, or the other has removed it; both sides added the file",
                "entity B: only on their side, which has added it, or the other has removed it; both sides added the file",
                "entity C, new on both sides: isAbstract is “YES” here and absent there",
            ])
        #expect(try Self.resolved(text).theirs == theirs)
        #expect(try Self.merge("", ours, ours.replacing("    <", with: "  <")).conflicts == [])
    }

    @Test func aConstraintThatBothSidesChangedConflicts() throws {
        func changing(_ names: String...) -> String {
            let members = names.map { "<constraint value=\"\($0)\"/>" }.joined()
            return Self.model(
                Self.base.contents(of: "model").replacing("<constraint value=\"n\"/>", with: members))
        }
        let removed = Self.model(
            Self.base.contents(of: "model").replacing("<constraint value=\"n\"/>", with: "")
                .replacing("<uniquenessConstraint>\n                \n            </uniquenessConstraint>", with: ""))
        try #require(!removed.contains("uniquenessConstraint>"))
        let sides = [changing("n", "t"), changing("n", "r"), removed]
        for ours in sides {
            for theirs in sides where ours != theirs {
                let (text, conflicts) = try Self.merge(ours, theirs)
                #expect(conflicts == ["uniquenessConstraints A: changed on both sides"])
                if ours != removed, theirs != removed {
                    #expect(try Self.resolved(text).theirs == theirs)
                }
            }
            #expect(try Self.merge(ours, ours).conflicts == [])
            #expect(try Self.merge(ours, Self.base).text == ours)
        }
    }

    @Test func differentNewNamesOfOnePropertyConflict() throws {
        func renaming(_ name: String) -> String {
            Self.base.replacing("<attribute name=\"n\"", with: "<attribute name=\"\(name)\" elementID=\"n\"")
        }
        let removed = Self.base.replacing(
            "        <attribute name=\"n\" optional=\"YES\" attributeType=\"String\"/>\n", with: "")
        try #require(removed != Self.base)
        var (text, conflicts) = try Self.merge(renaming("b"), renaming("c"))
        #expect(conflicts == ["attribute A.n: renamed to “b” here and renamed to “c” there"])
        #expect(try Self.resolved(text).ours == Self.format(renaming("b")))
        #expect(try Self.resolved(text).theirs == Self.format(renaming("c")))
        (text, conflicts) = try Self.merge(renaming("b"), removed)
        #expect(conflicts == ["attribute A.n: renamed to “b” here and removed there"])
        #expect(try Self.resolved(text).theirs == removed)
        (text, conflicts) = try Self.merge(removed, renaming("b"))
        #expect(conflicts == ["attribute A.n: removed here and renamed to “b” there"])
        #expect(try Self.resolved(text).ours == removed)
        // A second name for an attribute that was renamed before.
        let before = renaming("b")
        let conflict = try Self.merge(
            before, before.replacing("\"b\"", with: "\"c\""), before.replacing("\"b\"", with: "\"d\""))
        #expect(conflict.conflicts == ["attribute A.n: renamed to “c” here and renamed to “d” there"])
        #expect(try Self.merge(renaming("b"), renaming("b")).conflicts == [])
        // The same new name, and a change of the type on each side.
        let types = ["Date", "UUID"].map { type in
            renaming("b").replacing("optional=\"YES\" attributeType=\"String\"", with: "attributeType=\"\(type)\"")
        }
        try #require(types[0] != renaming("b"))
        #expect(try Self.merge(types[0], renaming("b")).text == Self.format(types[0]))
        #expect(
            try Self.merge(types[0], types[1]).conflicts == [
                "attribute A.b: attributeType is “Date” here and “UUID” there"
            ])
        #expect(try Self.merge(renaming("b"), Self.base).text == renaming("b"))
    }

    @Test func commentsOfBothSidesAreKept() throws {
        let text = try Self.clean(
            { $0.replacing("<entity name=\"A\"", with: "<!-- a -->\n<entity name=\"A\"") },
            { $0.replacing("<entity name=\"B\"", with: "<!-- b -->\n<entity name=\"B\"") })
        #expect(text.contains("<!-- a -->") && text.contains("<!-- b -->"))
    }

    @Test func currentVersionsAreMerged() throws {
        func file(_ name: String) -> String {
            String(decoding: CurrentVersionFile.contents(naming: name), as: UTF8.self)
        }
        #expect(try Self.merge(file("1"), file("2"), file("1")).text == file("2"))
        #expect(try Self.merge(file("1"), file("1"), file("3")).text == file("3"))
        let (text, conflicts) = try Self.merge(file("1"), file("2"), file("3"))
        #expect(conflicts == ["the current version is “2” here and “3” there"])
        let sides = try Self.resolved(text)
        #expect(sides.ours == file("2") && sides.theirs == file("3"))
    }

    @Test func damagedFilesAreErrors() throws {
        let broken = "<model><entity></model>"
        #expect(throws: ModelFormatter.CannotFormat.self) { try Self.merge(broken, Self.model("")) }
        // A broken ancestor is treated like a missing one.
        #expect(try Self.merge(broken, Self.base, Self.base + "\n").conflicts.isEmpty)
        let different = try Self.merge(broken, Self.model(""), Self.base)
        #expect(!different.conflicts.isEmpty)
        var markers = ConflictMarkerStyle()
        (markers.size, markers.ours, markers.theirs) = (3, "a", "b")
        let text = try ModelMerger.undecided(ours: Array("x".utf8), theirs: Array("y\n".utf8), markers: markers)
        #expect(String(decoding: text, as: UTF8.self) == "<<< a\nx\n===\ny\n>>> b\n")
    }

    // MARK: Help

    private static func format(_ text: String) throws -> String {
        String(decoding: try ModelFormatter.format(Array(text.utf8), path: ""), as: UTF8.self)
    }

    /// Returns a file with conflict markers resolved in favor of each side.
    private static func resolved(_ text: String) throws -> (ours: String, theirs: String) {
        var sides: [[Substring]] = [[], []]
        var open: Int?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line == "<<<<<<< ours" {
                open = 0
            } else if line == "=======" {
                open = 1
            } else if line == ">>>>>>> theirs" {
                open = nil
            } else {
                for side in open.map({ [$0] }) ?? [0, 1] { sides[side].append(line) }
            }
        }
        return (sides[0].joined(separator: "\n"), sides[1].joined(separator: "\n"))
    }
}

extension String {
    /// Returns what is between the tags of an element that the text has once.
    fileprivate func contents(of element: String) -> String {
        guard let start = firstRange(of: "<\(element)"), let end = firstRange(of: "</\(element)>"),
            let open = self[start.upperBound...].firstIndex(of: ">")
        else { return self }
        return String(self[index(after: open)..<end.lowerBound])
    }
}
