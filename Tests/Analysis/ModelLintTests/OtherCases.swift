import Diagnostics
import ModelLint

/// Cases for the rules about fetch requests, fetched properties and derivations.
enum FetchingCases {
    private static let entities = """
        <entity name="Author"><attribute name="name" attributeType="String"/>
        <relationship name="books" toMany="YES" destinationEntity="Book"/></entity>
        <entity name="Book"><attribute name="title" attributeType="String"/>
        <relationship name="author" maxCount="1" destinationEntity="Author"/></entity>
        <entity name="Novel" parentEntity="Book"><attribute name="genre" attributeType="String"/></entity>
        """

    private static func request(_ predicate: String) -> String {
        entities + "<fetchRequest name=\"f\" entity=\"Book\" \(predicate)/>"
    }

    private static func derived(_ expression: String) -> String {
        "<entity name=\"A\"><attribute name=\"t\" attributeType=\"String\"/>"
            + "<attribute name=\"d\" attributeType=\"String\" derived=\"YES\" \(expression)>⟦⟧</attribute></entity>"
    }

    static let all = [
        RuleCase(
            rule: .invalidPredicate, finding: request("‹predicateString=\"title ==\"›"),
            message: "the predicate of the fetch request “f” cannot be read",
            clean: request("predicateString=\"title == 'x'\"")),
        RuleCase(
            rule: .unknownFetchEntity,
            finding: "<entity name=\"A\"/><fetchRequest name=\"f\" ‹entity=\"B\"›/>"
                + "<configuration name=\"c\"><memberEntity ‹name=\"C\"›/></configuration>",
            message: "names the entity “B”, which is not in the model",
            clean: "<entity name=\"A\"/><fetchRequest name=\"f\" entity=\"A\"/>"),
        RuleCase(
            rule: .unknownKeyPath, finding: request("‹predicateString=\"name == 'x'\"›"),
            message: "refers to “name”, which “Book” does not have",
            clean: request(
                "predicateString=\"author.name == 'x' AND genre == 1 AND self.title == $T AND objectID == $I\"")),
        RuleCase(
            rule: .unknownKeyPath, finding: request("‹predicateString=\"author.title == 'x'\"›"),
            message: "refers to “title”, which “Author” does not have (in “author.title”)",
            clean: request("predicateString=\"author.books.@count == 1 AND ANY author.books.title == 'x'\"")),
        RuleCase(
            rule: .unknownKeyPath,
            finding: request("‹predicateString=\"SUBQUERY(author.books, $b, $b.name == 'x').@count == 1\"›"),
            message: "refers to “name”, which “Book” does not have",
            clean: request("predicateString=\"SUBQUERY(author.books, $b, $b.title == 'x').@count == 1\"")),
        RuleCase(
            rule: .unknownDerivationKeyPath, finding: derived("‹derivationExpression=\"canonical:(u)\"›"),
            message: "the derivation of “A.d” refers to “u”", clean: derived("derivationExpression=\"canonical:(t)\"")),
    ]
}

/// Cases for the rules about the model as a whole.
enum StructureCases {
    static let all = [
        RuleCase(
            rule: .toolsVersionMismatch,
            finding:
                "<entity name=\"A\"><attribute name=\"d\" attributeType=\"Date\" derived=\"YES\" derivationExpression=\"now()\"/></entity>",
            message: "tools version is Xcode 9.0, but derived attributes need Xcode 11",
            clean: "<entity name=\"A\"><fetchIndex name=\"i\"/></entity>",
            fixed:
                "<entity name=\"A\"><attribute name=\"d\" attributeType=\"Date\" derived=\"YES\" derivationExpression=\"now()\"/></entity>",
            modelAttributes: "‹minimumToolsVersion=\"Xcode 9.0\"›",
            fixedModelAttributes: "minimumToolsVersion=\"Automatic\""),
        RuleCase(
            rule: .versionNaming, finding: "", message: "the current version is “Model”, but “Model 2” comes last",
            clean: "", versionNames: ["Model", "Model 2"]
        ),
        RuleCase(
            rule: .unusedVersionGap, finding: "", message: "there are versions 2 and 4, but none between them",
            clean: "", versionNames: ["Model", "Model 2", "Model 4"]
        ),
    ]
}

/// Cases for the rules about CloudKit.
enum CloudKitCases {
    private static func cloud(
        _ rule: RuleID, _ finding: String, _ message: String, clean: String, fixed: String? = nil
    ) -> RuleCase {
        func entity(_ content: String) -> String { "<entity name=\"A\">\(content)⟦⟧</entity>" }
        return RuleCase(
            rule: rule, finding: entity(finding), message: message, clean: entity(clean),
            fixed: fixed.map { entity($0) },
            isForCloudKit: true)
    }

    static let all =
        [
            cloud(
                .cloudkitUniqueConstraint,
                "<uniquenessConstraints><uniquenessConstraint><constraint ‹value=\"x\"›/></uniquenessConstraint></uniquenessConstraints>",
                "“A” has a uniqueness constraint on x", clean: ""),
            cloud(
                .cloudkitAttributeType, "<attribute name=\"x\" optional=\"YES\" ‹attributeType=\"Undefined\"›/>",
                "has the type Undefined", clean: "<attribute name=\"x\" transient=\"YES\"/>"),
            cloud(
                .cloudkitRequiredAttribute, "<attribute ‹name=\"x\"› attributeType=\"String\"/>",
                "“A.x” is required and has no default",
                clean: "<attribute name=\"x\" attributeType=\"String\" defaultValueString=\"\"/>",
                fixed: "<attribute name=\"x\" optional=\"YES\" attributeType=\"String\"/>"),
            cloud(
                .cloudkitRelationship,
                "<relationship name=\"r\" optional=\"YES\" toMany=\"YES\" ‹ordered=\"YES\"› destinationEntity=\"A\" inverseName=\"r\"/>",
                "“A.r” is ordered",
                clean:
                    "<relationship name=\"r\" optional=\"YES\" toMany=\"YES\" destinationEntity=\"A\" inverseName=\"r\"/>",
                fixed:
                    "<relationship name=\"r\" optional=\"YES\" toMany=\"YES\" destinationEntity=\"A\" inverseName=\"r\"/>"
            ),
            cloud(
                .cloudkitRelationship,
                "<relationship name=\"r\" optional=\"YES\" ‹deletionRule=\"Deny\"› destinationEntity=\"A\" inverseName=\"r\"/>",
                "“A.r” has the delete rule Deny",
                clean:
                    "<relationship name=\"r\" optional=\"YES\" deletionRule=\"Cascade\" destinationEntity=\"A\" inverseName=\"r\"/>",
                fixed:
                    "<relationship name=\"r\" optional=\"YES\" deletionRule=\"Nullify\" destinationEntity=\"A\" inverseName=\"r\"/>"
            ),
        ] + CloudKitSchemaCases.all
}

/// Cases for the rules about the target's sources.
enum SourceCases {
    private static func entity(_ mode: String) -> String {
        "<entity name=\"Book\" representedClassName=\".Book\" \(mode)>⟦⟧</entity>"
    }

    static let all = [
        RuleCase(
            rule: .classDeclaredByHand, finding: entity("‹codeGenerationType=\"class\"›"),
            message: "declared in Book.swift:3", clean: entity("codeGenerationType=\"category\""),
            fixed: entity("codeGenerationType=\"category\""), classes: ["Book": 3]),
        RuleCase(
            rule: .classMissing, finding: entity("‹codeGenerationType=\"category\"›"),
            message: "the class “Book” of “Book” is not in the sources", clean: entity("codeGenerationType=\"class\""),
            fixed: entity("codeGenerationType=\"class\""), classes: ["Books": 1]),
        mismatch(
            "<attribute name=\"count\" optional=\"YES\" ‹attributeType=\"Integer 16\"›/>",
            "“Book.count” is Integer 16 in the model, and Int32 in Book.swift:4",
            clean: "<attribute name=\"count\" optional=\"YES\" attributeType=\"Integer 32\"/>"),
        mismatch(
            "<attribute name=\"title\" ‹optional=\"YES\"› attributeType=\"String\"/>",
            "“Book.title” is optional in the model, and not in Book.swift:4",
            clean: "<attribute name=\"title\" optional=\"YES\" attributeType=\"String\" defaultValueString=\"x\"/>"),
        mismatch(
            "<attribute ‹name=\"pages\"› optional=\"YES\" attributeType=\"Integer 64\"/>",
            "no source declares the attribute “Book.pages”",
            clean: "<attribute name=\"derived\" optional=\"YES\" attributeType=\"Integer 64\"/>"),
        mismatch(
            "<relationship ‹name=\"parts\"› optional=\"YES\" toMany=\"YES\" ordered=\"YES\" destinationEntity=\"Book\"/>",
            "“Book.parts” is ordered and to-many in the model, and NSSet in Book.swift:4",
            clean: "<relationship name=\"parts\" optional=\"YES\" toMany=\"YES\" destinationEntity=\"Book\"/>"),
        mismatch(
            "<relationship ‹name=\"parts\"› optional=\"YES\" maxCount=\"1\" destinationEntity=\"Book\"/>",
            "“Book.parts” is to-one in the model, and NSSet in Book.swift:4",
            clean: "<relationship name=\"parts\" optional=\"YES\" toMany=\"YES\" destinationEntity=\"Book\"/>"),
        RuleCase(
            rule: .classMismatch,
            finding: "<entity ‹name=\"Book\"› representedClassName=\"Book\">⟦⟧</entity>",
            message: "“Book.count” in Book.swift:4 is not a property of “Book”",
            clean: "<entity name=\"Book\" representedClassName=\"Book\" codeGenerationType=\"category\"/>",
            classes: ["Book": 3],
            properties: ["count": SourceClasses.Property(type: "Int32", isOptional: false, file: "Book.swift", line: 4)]
        ),
    ]

    /// A case of a class with a property, which is optional if it is a set.
    private static func mismatch(_ finding: String, _ message: String, clean: String) -> RuleCase {
        let types = [
            "count": "Int32", "title": "String", "parts": "NSSet", "status": "Status", "primitiveTitle": "String",
        ]
        let properties = types.filter { $0.key == "primitiveTitle" || finding.contains("\"\($0.key)\"") }
        return RuleCase(
            rule: .classMismatch,
            finding: "<entity name=\"Book\" representedClassName=\"Book\">⟦⟧\(finding)</entity>", message: message,
            clean: "<entity name=\"Book\" representedClassName=\"Book\">\(clean)</entity>", classes: ["Book": 3],
            properties: properties.mapValues {
                SourceClasses.Property(type: $0, isOptional: $0 == "NSSet", file: "Book.swift", line: 4)
            })
    }
}
