import Diagnostics

/// A mistake in a model, one or more for each rule of lint and each error of the compiler.
struct ModelMistake: Sendable, CustomStringConvertible {
    /// What the commands have to say.
    enum Verdict: Sendable {
        /// The model cannot be compiled: every command refuses it.
        case refused
        /// The model compiles, and lint reports an error.
        case lintError
        /// The model compiles, and lint reports a warning or a note.
        case lintWarning
    }

    var rule: RuleID
    var verdict: Verdict
    /// The content of `<model>`.
    var content: String

    var description: String { "\(rule.rawValue): \(content.prefix(300))" }

    // MARK: Parts of models

    private static func entity(_ content: String, _ name: String = "A", _ rest: String = "") -> String {
        "<entity name=\"\(name)\" \(rest)>\(content)</entity>"
    }

    private static func attribute(_ type: String, _ rest: String = "", name: String = "x") -> String {
        "<attribute name=\"\(name)\" optional=\"YES\" attributeType=\"\(type)\" \(rest)/>"
    }

    private static func relationship(
        _ rest: String = "", _ name: String = "r", to destination: String = "A", inverse: String = "r",
        counts: String = "maxCount=\"1\"", rule: String = "Nullify"
    ) -> String {
        "<relationship name=\"\(name)\" optional=\"YES\" \(counts) deletionRule=\"\(rule)\" \(rest)"
            + " destinationEntity=\"\(destination)\" inverseName=\"\(inverse)\" inverseEntity=\"\(destination)\"/>"
    }

    private static func index(_ name: String, _ columns: String..., rest: String = "") -> String {
        "<fetchIndex name=\"\(name)\" \(rest)>"
            + columns.map { "<fetchIndexElement property=\"\($0)\" type=\"Binary\" order=\"ascending\"/>" }.joined()
            + "</fetchIndex>"
    }

    private static func unique(_ name: String) -> String {
        "<uniquenessConstraints><uniquenessConstraint><constraint value=\"\(name)\"/></uniquenessConstraint>"
            + "</uniquenessConstraints>"
    }

    private static func request(_ predicate: String, entity: String = "A") -> String {
        "<fetchRequest name=\"f\" entity=\"\(entity)\" predicateString=\"\(predicate)\"/>"
    }

    private static func composite(_ content: String, _ name: String = "C") -> String {
        "<composite name=\"\(name)\">\(content)</composite>"
    }

    private static let text = attribute("String")
    private static let derived = attribute("Date", "derived=\"YES\" derivationExpression=\"now()\"")
    private static let toMany = "toMany=\"YES\""

    // MARK: The catalog

    static let all: [ModelMistake] = refused + lintErrors + lintWarnings

    private static let refused: [ModelMistake] = [
        (.unknownParent, entity("", "A", "parentEntity=\"B\"")),
        (.inheritanceCycle, entity("", "A", "parentEntity=\"A\"")),
        (
            .inheritanceTooDeep,
            (0...1002).map { entity("", "E\($0)", $0 > 0 ? "parentEntity=\"E\($0 - 1)\"" : "") }.joined()
        ),
        (.missingName, "<entity name=\"\"/>"),
        (.missingName, entity(attribute("String", name: ""))),
        (.missingName, composite(text, "")),
        (.missingName, composite(attribute("String", name: ""))),
        (.missingName, entity("") + "<fetchRequest name=\"\" entity=\"A\"/>"),
        (.missingName, entity("") + "<configuration name=\"\"><memberEntity name=\"A\"/></configuration>"),
        (.missingName, entity(text + index("", "x"))),
        (.duplicateName, entity("") + entity("")),
        (.duplicateName, entity(text + text)),
        (.duplicateName, entity(text) + entity(text, "B", "parentEntity=\"A\"")),
        (
            .duplicateName,
            entity(text + "<fetchedProperty name=\"x\"><fetchRequest name=\"f\" entity=\"A\"/></fetchedProperty>")
        ),
        (.duplicateName, composite(text) + composite(text)),
        (.duplicateName, composite(text + text)),
        (.duplicateName, entity(text) + request("x == 'a'") + request("x == 'b'")),
        (
            .duplicateName,
            entity("")
                + "<configuration name=\"C\"/><configuration name=\"C\"><memberEntity name=\"A\"/></configuration>"
        ),
        (.duplicateName, entity(text + index("i", "x") + index("i", "x", rest: "partialIndexPredicate=\"x == 'a'\""))),
        (.unknownType, entity(attribute("Strin"))),
        (.unknownType, composite(attribute("Strin"))),
        (.unknownComposite, entity(attribute("Composite", "composite=\"C\""))),
        (.unknownComposite, entity(attribute("Composite"))),
        (.unknownComposite, composite(attribute("Composite", "composite=\"D\""))),
        (.unknownComposite, composite(attribute("Composite", "composite=\"C\""))),
        (
            .unknownComposite,
            entity(attribute("Composite", "composite=\"T14\""))
                + (1...14).map { level in
                    let inner = { (name: String) in
                        level == 1
                            ? attribute("String", name: name)
                            : attribute("Composite", "composite=\"T\(level - 1)\"", name: name)
                    }
                    return composite(inner("a") + inner("b"), "T\(level)")
                }.joined()
        ),
        (
            .unknownComposite,
            entity(attribute("Composite", "composite=\"T20\""))
                + (1...20).map { level in
                    composite(
                        level == 1 ? text : attribute("Composite", "composite=\"T\(level - 1)\""), "T\(level)")
                }.joined()
        ),
        (.invalidDerivation, entity(attribute("Date", "derived=\"YES\" derivationExpression=\"now((\""))),
        (
            .unknownDerivationKeyPath,
            entity(attribute("String", "derived=\"YES\" derivationExpression=\"canonical:(y)\""))
        ),
        (
            .unsupportedPredicate,
            entity(text + attribute("String", "derived=\"YES\" derivationExpression=\"x[FIRST]\"", name: "y"))
        ),
        (
            .missingDestination,
            entity("<relationship name=\"r\" optional=\"YES\" maxCount=\"1\" deletionRule=\"Nullify\"/>")
        ),
        (.unknownDestination, entity(relationship(to: "B"))),
        (.transientInverse, entity(relationship("transient=\"YES\"", "q") + relationship("", "r", inverse: "q"))),
        (.toManyCount, entity(relationship(counts: "toMany=\"YES\" maxCount=\"1\""))),
        (.toManyCount, entity(relationship(counts: "maxCount=\"5\""))),
        (.indexOnUnknownProperty, entity(text + index("i", "y"))),
        (
            .indexOnUnknownProperty,
            entity(attribute("Composite", "composite=\"C\"") + index("i", "x.b"))
                + composite(attribute("String", name: "a"))
        ),
        (
            .indexOnUnknownProperty,
            entity(text + "<compoundIndexes><compoundIndex><index value=\"x,y\"/></compoundIndex></compoundIndexes>")
        ),
        (.constraintUnknownAttribute, entity(text + unique("y"))),
        (.constraintUnknownAttribute, entity(attribute("String", "transient=\"YES\"") + unique("x"))),
        (.constraintUnknownAttribute, entity(relationship(counts: toMany) + unique("r"))),
        (.invalidPredicate, entity(text) + request("x ==")),
        (.invalidPredicate, entity(text) + request("%K == 'a'")),
        (.invalidPredicate, entity(text) + request("x == %@")),
        (.invalidPredicate, entity(text + index("i", "x", rest: "partialIndexPredicate=\"x ==\""))),
        (
            .invalidPredicate,
            entity(
                text
                    + "<fetchedProperty name=\"g\"><fetchRequest name=\"f\" entity=\"A\" predicateString=\"x ==\"/></fetchedProperty>"
            )
        ),
        (.unsupportedPredicate, entity(text) + request("x[SIZE] == 2")),
        (.unknownFetchEntity, entity(text) + request("x == 'a'", entity: "B")),
        (
            .unknownFetchEntity,
            entity("<fetchedProperty name=\"g\"><fetchRequest name=\"f\" entity=\"B\"/></fetchedProperty>")
        ),
        (.unknownFetchEntity, entity("") + "<configuration name=\"C\"><memberEntity name=\"B\"/></configuration>"),
        (.notWellFormed, entity("<attribute name=\"x\" attributeType=\"String\">")),
        (.conflictMarkers, "\n<<<<<<< ours\n" + entity(text) + "\n=======\n" + entity("") + "\n>>>>>>> theirs\n"),
        (.tooDeep, String(repeating: "<entity>", count: 300) + String(repeating: "</entity>", count: 300)),
    ].map { ModelMistake(rule: $0, verdict: .refused, content: $1) }

    private static let lintErrors: [ModelMistake] = [
        (.minCountGreaterThanMax, entity(relationship(counts: "toMany=\"YES\" minCount=\"3\" maxCount=\"2\""))),
        (.reservedName, entity(attribute("String", name: "objectID"))),
        (.undefinedType, entity(attribute("Undefined"))),
    ].map { ModelMistake(rule: $0, verdict: .lintError, content: $1) }

    private static let lintWarnings: [ModelMistake] = [
        (.unknownXML, entity("<attribut name=\"x\"/>")),
        (.malformedValue, entity(attribute("String", "transient=\"maybe\""))),
        (.malformedValue, entity(attribute("Integer 16", "minValueString=\"one\""))),
        (.toManyCount, entity(relationship(counts: "maxCount=\"-1\""))),
        (
            .duplicateName,
            entity("<userInfo><entry key=\"k\" value=\"1\"/><entry key=\"k\" value=\"2\"/></userInfo>")
        ),
        (.unusedSuppression, entity("<userInfo><entry key=\"modelc.ignore\" value=\"missing-inverse\"/></userInfo>")),
        (
            .missingInverse,
            entity(
                "<relationship name=\"r\" optional=\"YES\" maxCount=\"1\" deletionRule=\"Nullify\" destinationEntity=\"A\"/>"
            )
        ),
        (.inverseMismatch, entity(relationship("", "q", inverse: "nothing"))),
        (.inverseMismatch, entity(relationship("", "q", inverse: "r") + relationship())),
        (
            .inverseDestinationMismatch,
            entity(relationship().replacing("inverseEntity=\"A\"", with: "inverseEntity=\"B\"")) + entity("", "B")
        ),
        (.noActionDeleteRule, entity(relationship(rule: "No Action"))),
        (
            .cascadeCycle,
            entity(relationship(to: "B", counts: toMany, rule: "Cascade")) + entity(relationship(rule: "Cascade"), "B")
        ),
        (
            .cascadeToManyToMany,
            entity(relationship(to: "B", counts: toMany, rule: "Cascade")) + entity(relationship(counts: toMany), "B")
        ),
        (
            .denyBlocksCascade,
            entity(relationship(to: "B", counts: toMany, rule: "Cascade")) + entity(relationship(rule: "Deny"), "B")
        ),
        (
            .crossConfigurationRelationship,
            entity(relationship(to: "B")) + entity(relationship(), "B")
                + "<configuration name=\"C\"><memberEntity name=\"A\"/></configuration>"
                + "<configuration name=\"D\"><memberEntity name=\"B\"/></configuration>"
        ),
        (.insecureTransformer, entity(attribute("Transformable"))),
        (.defaultOutOfRange, entity(attribute("Integer 16", "defaultValueString=\"1.5\" usesScalarValueType=\"YES\""))),
        (.minGreaterThanMax, entity(attribute("Integer 16", "minValueString=\"2\" maxValueString=\"1\""))),
        (.regexInvalid, entity(attribute("String", "regularExpressionString=\"[a\""))),
        (
            .externalStorageIndexed,
            entity(attribute("Binary", "allowsExternalBinaryDataStorage=\"YES\"") + index("i", "x"))
        ),
        (.dateDefaultLiteral, entity(attribute("Date", "defaultDateTimeInterval=\"12345.5\""))),
        (.decimalMinmax, entity(attribute("Decimal", "minValueString=\"0.5\""))),
        (.legacyIndexedAttribute, entity(attribute("String", "indexed=\"YES\""))),
        (.duplicateIndex, entity(text + index("i", "x") + index("j", "x"))),
        (.redundantPrefixIndex, entity(text + attribute("String", name: "y") + index("i", "x") + index("j", "x", "y"))),
        (.indexCoveredByUnique, entity(text + index("i", "x") + unique("x"))),
        (.constraintUnknownAttribute, entity(derived + unique("x"))),
        (.constraintOnRelationship, entity(relationship() + unique("r"))),
        (.indexWithoutColumn, entity(attribute("String", "transient=\"YES\"") + index("i", "x"))),
        (.abstractWithoutChildren, entity(text, "A", "isAbstract=\"YES\"")),
        (
            .duplicateClass,
            entity(text, "A", "representedClassName=\"C\"") + entity(text, "B", "representedClassName=\"C\"")
        ),
        (.tooManyProperties, entity((0...100).map { attribute("String", name: "x\($0)") }.joined())),
        (.entityNameCase, entity(text, "a")),
        (.propertyNameCase, entity(attribute("String", name: "Title"))),
        (.periodInName, entity(attribute("String", name: "a.b"))),
        (.caseOnlyDifference, entity(text + attribute("String", name: "xY") + attribute("String", name: "xy"))),
        (.unknownKeyPath, entity(text) + request("y == 'a'")),
    ].map { ModelMistake(rule: $0, verdict: .lintWarning, content: $1) }

    /// The rules of lint that have no mistake in the catalog, with the reason.
    static let left: [RuleID: String] = {
        var left: [RuleID: String] = [:]
        func leave(_ reason: String, _ rules: RuleID...) { for rule in rules { left[rule] = reason } }
        leave(
            "the file cannot be read as a model", .notAModel, .truncated, .entityDeclaration, .tooManyAttributes,
            .notUTF8,
            .unsupportedEncoding, .fileSystem, .fileTooLarge, .legacyBinaryVersion)
        leave(
            "about a bundle", .noVersions, .noCurrentVersion, .currentVersionMissingFile, .malformedCurrentVersion,
            .toolsVersionMismatch, .versionNaming, .unusedVersionGap, .unreadableVersion)
        leave(
            "off by default", .nonOptionalWithoutDefault, .orderedToMany, .optionalScalar, .scalarDefaultHidesNull,
            .transformableWithoutClass,
            .largeBinaryWithoutExternalStorage, .unindexedFetchTemplate, .singleTableInheritanceWidth, .unusedEntity,
            .codegenModuleMismatch, .nameCollisionSwift)
        leave("needs sources", .classDeclaredByHand, .classMissing, .classMismatch)
        leave("about a project", .modelNotCompiled, .modelInNoTarget)
        return left
    }()
}

/// Two changes of a model that are valid by themselves, and whose merge is a mistake.
struct MergeMistake: Sendable, CustomStringConvertible {
    var description: String
    /// The contents of `<model>`.
    var base: String
    var ours: String
    var theirs: String

    private static let attribute = "<attribute name=\"a\" optional=\"YES\" attributeType=\"String\"/>"
    private static let other = "<attribute name=\"b\" optional=\"YES\" attributeType=\"String\"/>"

    private static func entity(_ content: String, _ name: String = "Book", _ rest: String = "") -> String {
        "<entity name=\"\(name)\" \(rest)>\(content)</entity>"
    }

    /// Ours removes an attribute; theirs adds something that names it.
    private static func attributeRemoved(_ name: String, _ addition: String, before: Bool = false) -> MergeMistake {
        MergeMistake(
            description: name, base: entity(attribute + other), ours: entity(other),
            theirs: entity(before ? attribute + addition + other : attribute + other + addition))
    }

    /// Ours removes an entity; theirs adds something that names it.
    private static func entityRemoved(_ name: String, in book: String = "", _ addition: String = "") -> MergeMistake {
        MergeMistake(
            description: name, base: entity(attribute) + entity(other, "Author"), ours: entity(attribute),
            theirs: entity(attribute + book) + entity(other, "Author") + addition)
    }

    static let all: [MergeMistake] = [
        attributeRemoved(
            "index",
            "<fetchIndex name=\"byA\"><fetchIndexElement property=\"a\" type=\"Binary\" order=\"ascending\"/></fetchIndex>"
        ),
        attributeRemoved(
            "constraint",
            "<uniquenessConstraints><uniquenessConstraint><constraint value=\"a\"/></uniquenessConstraint></uniquenessConstraints>"
        ),
        attributeRemoved(
            "derivation",
            "<attribute name=\"c\" optional=\"YES\" attributeType=\"String\" derived=\"YES\" derivationExpression=\"canonical:(a)\"/>"
        ),
        entityRemoved("fetch request", "<fetchRequest name=\"f\" entity=\"Author\"/>"),
        entityRemoved("configuration", "<configuration name=\"C\"><memberEntity name=\"Author\"/></configuration>"),
        entityRemoved(
            "fetched property",
            in: "<fetchedProperty name=\"g\"><fetchRequest name=\"f\" entity=\"Author\"/></fetchedProperty>"),
        entityRemoved(
            "destination",
            in:
                "<relationship name=\"r\" optional=\"YES\" maxCount=\"1\" deletionRule=\"Nullify\" destinationEntity=\"Author\"/>"
        ),
        entityRemoved("parent", entity("", "Novelist", "parentEntity=\"Author\"")),
        MergeMistake(
            description: "composite type",
            base: entity(attribute) + "<composite name=\"C\">\(attribute)</composite>", ours: entity(attribute),
            theirs: entity(
                attribute + "<attribute name=\"c\" optional=\"YES\" attributeType=\"Composite\" composite=\"C\"/>")
                + "<composite name=\"C\">\(attribute)</composite>"),
        MergeMistake(
            description: "inherited property", base: entity("") + entity("", "Novel", "parentEntity=\"Book\""),
            ours: entity(attribute) + entity("", "Novel", "parentEntity=\"Book\""),
            theirs: entity("") + entity(attribute, "Novel", "parentEntity=\"Book\"")),
    ]
}
