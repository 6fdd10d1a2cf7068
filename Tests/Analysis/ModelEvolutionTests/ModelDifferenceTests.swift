import ModelSchema
import TestSupport
import Testing

@testable import ModelEvolution
@testable import ModelMigration

@Suite struct ModelDifferenceTests {
    private func difference(_ old: Model, _ new: Model) -> ModelDifference {
        ModelDifference(from: IndexedModel(old), to: IndexedModel(new))
    }

    private func model(_ edit: (inout Entity) -> Void = { _ in }) -> Model {
        var entity = Entity(name: "Book")
        entity.attributes = [Attribute(name: "title", type: .string), Attribute(name: "pages", type: .integer16)]
        edit(&entity)
        var model = Model(name: "M")
        model.entities = [entity]
        return model
    }

    @Test func aModelDoesNotDifferFromItself() {
        #expect(difference(model(), model()).isEmpty)
    }

    @Test func differenceIsReversible() {
        Seeds.run(rounds: 60) { generator, log in
            var generator = generator
            let old = RandomModel.make(using: &generator)
            var new = old
            for number in 0..<Int.random(in: 1...8, using: &generator) {
                RandomEdit.apply(to: &new, number: number, using: &generator)
            }
            let (forward, backward) = (difference(old, new), difference(new, old))
            log.append("\(forward)")
            guard forward.inverted == backward else { throw Failure("\(backward)") }
            guard forward.inverted.inverted == forward else { throw Failure("inverting twice changes the difference") }
        }
    }

    @Test func differentVersionHashesHaveADifferentTerm() {
        Seeds.run(rounds: 90) { generator, log in
            var generator = generator
            let old = RandomModel.make(using: &generator)
            var new = old
            for number in 0..<Int.random(in: 1...4, using: &generator) {
                RandomEdit.apply(to: &new, number: number, using: &generator)
            }
            let result = difference(old, new)
            log.append("\(result)")
            let (before, after) = (old.versionHashes().entities, new.versionHashes().entities)
            for element in before.elements {
                guard let hash = after[element.name],
                    result.entities.contains(where: { change in
                        change.change.oldName == element.name && change.change.newName == element.name
                    }) || hash == element.hash
                else { continue }
                let change = result.entities.first {
                    $0.change.oldName == element.name && $0.change.newName == element.name
                }
                guard (hash != element.hash) == (change?.hashTerms.isEmpty == false) else {
                    throw Failure(
                        "\(element.name) has \(change?.hashTerms ?? []), hashes differ: \(hash != element.hash)")
                }
            }
        }
    }

    @Test func renamingIdentifiersDetectRenames() throws {
        let result = difference(
            model(),
            model { entity in
                entity.attributes[0].renamingIdentifier = "title"
                entity.attributes[0].name = "heading"
            })
        let property = try #require(result.entities.first?.properties.first)
        #expect(property.change.kind == .renamed)
        #expect(property.change.oldName == "title")
        #expect(property.change.newName == "heading")
    }

    /// Apple: versions 2 and 3 keep the identifier of version 1.
    @Test func renamingIdentifiersChainAcrossVersions() throws {
        let second = model { entity in
            entity.attributes[0].renamingIdentifier = "title"
            entity.attributes[0].name = "heading"
        }
        let third = model { entity in
            entity.attributes[0].renamingIdentifier = "title"
            entity.attributes[0].name = "caption"
        }
        for old in [model(), second] {
            let change = try #require(difference(old, third).entities.first?.properties.first?.change)
            #expect(change.kind == .renamed)
            #expect(change.newName == "caption")
        }
    }

    @Test func aSimilarNameWithoutIdentifierIsASuspectedRename() throws {
        let result = difference(model(), model { $0.attributes[1].name = "pageCount" })
        let change = try #require(result.entities.first?.properties.first?.change)
        #expect(change.kind == .suspectedRename)
        #expect(change.oldName == "pages")
        #expect(change.newName == "pageCount")
    }

    @Test func anAttributeOfAnotherTypeIsNotARename() {
        let result = difference(
            model(),
            model { entity in entity.attributes[1] = Attribute(name: "pageCount", type: .date) })
        #expect(Set(result.entities[0].properties.map(\.change.kind)) == [.added, .removed])
    }

    /// What names have in common besides what distinguishes them is no evidence.
    @Test(arguments: [
        ("isPublic", "isAdmin", AttributeType.boolean), ("customerID", "siteID", .integer64),
        ("firstName", "companyName", .string), ("publishDate", "deletionDate", .date),
    ])
    func aCommonPrefixOrSuffixIsNotARename(old: String, new: String, type: AttributeType) {
        let result = difference(
            model { $0.attributes = [Attribute(name: old, type: type)] },
            model { $0.attributes = [Attribute(name: new, type: type)] })
        #expect(Set(result.entities[0].properties.map(\.change.kind)) == [.added, .removed])
    }

    @Test(arguments: [
        ("year", "yearOfPublication"), ("dateCreated", "createdDate"), ("publishDate", "publishedDate"),
        ("fileURL", "fileUrl"), ("page_count", "pageCount"),
    ])
    func aNameThatSaysTheSameIsASuspectedRename(old: String, new: String) {
        let result = difference(
            model { $0.attributes = [Attribute(name: old, type: .date)] },
            model { $0.attributes = [Attribute(name: new, type: .date)] })
        #expect(result.entities[0].properties.map(\.change.kind) == [.suspectedRename])
    }

    @Test func dissimilarNamesAreNotRenames() {
        let result = difference(model(), model { $0.attributes[0].name = "isbn" })
        #expect(Set(result.entities[0].properties.map(\.change.kind)) == [.added, .removed])
    }

    @Test func aPropertyMovedToTheParentIsShownInBothEntities() {
        func hierarchy(_ owner: Int) -> Model {
            var model = Model(name: "M")
            model.entities = [Entity(name: "Medium"), Entity(name: "Book")]
            model.entities[1].parentName = "Medium"
            model.entities[owner].attributes = [Attribute(name: "title", type: .string)]
            return model
        }
        let result = difference(hierarchy(1), hierarchy(0))
        #expect(result.entities.map { $0.properties.map(\.change.kind) } == [[.moved], [.moved]])
        #expect(result.entities.flatMap(\.properties).allSatisfy { $0.oldOwner == "Book" && $0.newOwner == "Medium" })
    }

    @Test func fieldsOutsideOfTheHashAreMarkedAsSuch() throws {
        let result = difference(
            model(),
            model { entity in
                entity.attributes[0].isOptional = true
                entity.attributes[0].defaultValue = "Untitled"
            })
        let change = try #require(result.entities.first?.properties.first?.change)
        #expect(change.fields.map(\.field) == [.isOptional, .defaultValue])
        #expect(change.fields.map(\.changesHash) == [true, false])
        #expect(result.entities.first?.hashTerms == [.property("title", [.isOptional])])
    }

    @Test func aTransientAttributeIsNotAHashTerm() {
        let result = difference(
            model(),
            model { entity in
                var attribute = Attribute(name: "cache", type: .string)
                attribute.isTransient = true
                entity.attributes.append(attribute)
            })
        #expect(result.entities.first?.hashTerms == [])
        #expect(result.entities.first?.oldHash == result.entities.first?.newHash)
    }
}

/// The work of pairing elements grows with their number, not with its square.
@Suite struct ElementMatchGrowthTests {
    private final class Counter { var steps = 0 }

    /// An element that counts how often its name is read.
    private struct CountedElement: Renameable {
        let text: String
        let renamingIdentifier: String?
        let counter: Counter
        var name: String {
            counter.steps += 1
            return text
        }
    }

    /// Elements that keep their names, as most do, are paired in one pass over the sorted lists.
    @Test func unchangedElementsTakeAFewStepsEach() {
        let counter = Counter()
        let elements = (0..<1000).map {
            CountedElement(text: "\(10_000 + $0)", renamingIdentifier: nil, counter: counter)
        }
        let match = ElementMatch(sortedSource: elements, destination: elements) { _, _ in false }
        #expect(match.pairs.count == 1000 && counter.steps <= 12 * 1000, "\(counter.steps)")
    }

    @Test(arguments: [true, false]) func namesAreReadInLinearithmicTime(areRenamed: Bool) {
        let counts = [100, 200, 400].map { count in
            let counter = Counter()
            let digits = (0..<count).map { String(10_000 + $0) }
            let source = digits.map { CountedElement(text: "b\($0)", renamingIdentifier: nil, counter: counter) }
            // Elements of the same names, or new ones that carry the old names, in the opposite order; others come
            // first.
            let pairs = zip(digits, digits.reversed()).map { digits, opposite in
                CountedElement(
                    text: areRenamed ? "c\(opposite)" : "b\(digits)",
                    renamingIdentifier: areRenamed ? "b\(digits)" : "x\(digits)", counter: counter)
            }
            let added = digits.map { CountedElement(text: "a\($0)", renamingIdentifier: nil, counter: counter) }
            let match = ElementMatch(source: source, destination: added + pairs)
            #expect(match.pairs.count == count && match.added.count == count)
            return counter.steps
        }
        #expect(counts[1] * 5 < counts[0] * 13 && counts[2] * 5 < counts[1] * 13, "\(counts)")
    }
}

/// The rules by which elements are paired.
@Suite struct ElementMatchTests {
    private struct Element: Renameable, Equatable {
        var name: String
        var renamingIdentifier: String?
        /// Tells elements of one name apart.
        var number: Int
    }

    /// Pairs elements as the documentation of `ElementMatch` says, in quadratic time: elements that are known to be the
    /// same, those that keep their name, those with the same canonical name, and the rest by name.
    private func pairs(
        _ source: [Element], _ destination: [Element], _ isSame: @escaping (Element, Element) -> Bool
    ) -> Set<[Int]> {
        var (open, rest) = (source.sorted { $0.name < $1.name }, destination.sorted { $0.name < $1.name })
        var result: Set<[Int]> = []
        let rules: [(Element, Element) -> Bool] = [
            { $0.name == $1.name && isSame($0, $1) }, { $0.name == $1.name && $0.canonicalName == $1.canonicalName },
            { $0.canonicalName == $1.canonicalName }, { $0.name == $1.name },
        ]
        for rule in rules {
            open.removeAll { element in
                guard let index = rest.firstIndex(where: { rule(element, $0) }) else { return false }
                result.insert([element.number, rest.remove(at: index).number])
                return true
            }
        }
        return result
    }

    @Test(.randomized) func elementsArePairedByTheRules() {
        Seeds.run(rounds: 300) { generator, log in
            var random = generator
            func elements(_ first: Int) -> [Element] {
                let names = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                    String("abcdef".randomElement(using: &random) ?? "a")
                }
                return Set(names).sorted().shuffled(using: &random).enumerated().map { index, name in
                    let identifier =
                        Int.random(in: 0..<3, using: &random) == 0
                        ? String("abcdef".randomElement(using: &random) ?? "a") : nil
                    return Element(name: name, renamingIdentifier: identifier, number: first + index)
                }
            }
            let (source, destination) = (elements(0), elements(100))
            let same = String("abcdef".randomElement(using: &random) ?? "a")
            let isSame = { (one: Element, _: Element) in one.name == same }
            log.append("\(source) \(destination) \(same)")
            let match = ElementMatch(source: source, destination: destination, isSame: isSame)
            #expect(
                Set(match.pairs.map { [$0.source.number, $0.destination.number] }) == pairs(source, destination, isSame)
            )
            #expect(match.pairs.map(\.source.name) == match.pairs.map(\.source.name).sorted())
            let paired = match.pairs.map(\.source.number) + match.removed.map(\.number)
            #expect(paired.sorted() == source.map(\.number))
            let found = match.pairs.map(\.destination.number) + match.added.map(\.number)
            #expect(found.sorted() == destination.map(\.number))
        }
    }
}

/// The reason why a randomized test fails.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
