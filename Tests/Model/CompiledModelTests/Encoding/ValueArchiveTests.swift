import Diagnostics
import ModelSchema
import Testing

@testable import CompiledModel

/// Defaults and limits (Documentation/Formats/CompiledModel.md, 2.6), including ill-typed ones of real models.
@Suite struct ValueArchiveTests {
    private func archived(_ type: AttributeType, _ change: (inout Attribute) -> Void, _ key: String) throws -> String {
        var attribute = Attribute(name: "a", type: type)
        change(&attribute)
        var model = Model(name: "M")
        model.entities = [Entity(name: "E")]
        model.entities[0].attributes = [attribute]
        return try ArchiveDump.text(try EncodedModel(model).bytes, "NSEntities", "E", "NSProperties", "a", key)
    }

    @Test(
        arguments: [
            (.integer16, "0", "0"), (.integer32, "0.0", "0"), (.integer64, "NO", "0"), (.integer64, "-1", "-1"),
            (.integer64, " 42abc", "42"), (.integer64, "99999999999999999999", "9223372036854775807"),
            (.double, "0", "0.0"), (.double, "160", "160.0"), (.double, "1.", "1.0"), (.double, ".5", "0.5"),
            (.double, "-2.5e3x", "-2500.0"), (.double, "e", "0.0"), (.float, "0.1", "0.1f"), (.float, "0", "0.0f"),
            (.boolean, "YES", "true"), (.boolean, "NO", "false"), (.boolean, "0", "false"), (.boolean, "100", "true"),
            (.boolean, "0.0", "false"), (.string, "", "\"\""), (.string, "text", "\"text\""), (.integer16, "", "null"),
            (.date, "NO", "null"), (.uuid, "empy", "null"), (.binary, "x", "null"), (.boolean, "", "null"),
        ] as [(AttributeType, String, String)])
    func defaultValuesAreEncoded(type: AttributeType, text: String, value: String) throws {
        #expect(try archived(type, { $0.defaultValue = text }, "NSDefaultValue") == value)
    }

    /// Apple's compiler archives an empty transformer name as an empty string (models of shipped apps have it for
    /// attributes whose transformer was removed in the inspector).
    @Test(arguments: [(nil, "null"), ("", "\"\""), ("NSSecureUnarchiveFromData", "\"NSSecureUnarchiveFromData\"")])
    func emptyTransformerNamesAreEncoded(name: String?, value: String) throws {
        #expect(try archived(.transformable, { $0.valueTransformerName = name }, "NSValueTransformerName") == value)
        #expect(try archived(.binary, { $0.valueTransformerName = name }, "NSValueTransformerName") == value)
        var model = Model(name: "M")
        model.entities = [Entity(name: "E")]
        model.entities[0].attributes = [Attribute(name: "a", type: .transformable)]
        model.entities[0].attributes[0].valueTransformerName = name
        let decoded = try DecodedModel(try EncodedModel(model).bytes, name: "M").model
        #expect(decoded.entities[0].attributes[0].valueTransformerName == name)
    }

    @Test func missingDefaultsAreNull() throws {
        for type in AttributeType.allCases where type != .composite {
            #expect(try archived(type, { _ in }, "NSDefaultValue") == "null")
        }
    }

    @Test func decimalsAreEncoded() throws {
        let zero = """
            NSDecimalNumberPlaceholder
              NS.compact = false
              NS.exponent = -1
              NS.length = 0
              NS.mantissa = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
              NS.mantissa.bo = 1
              NS.negative = false
            """
        #expect(try archived(.decimal, { $0.defaultValue = "0.0" }, "NSDefaultValue") == zero)
        let other = try archived(.decimal, { $0.defaultValue = "-100000.5" }, "NSDefaultValue")
        #expect(other.contains("NS.exponent = -1"))
        #expect(other.contains("NS.length = 2"))
        #expect(other.contains("NS.mantissa = [69, 66, 15, 0, 0"))
        #expect(other.contains("NS.negative = true"))
    }

    @Test func datesAreEncoded() throws {
        let text = try archived(.date, { $0.defaultDateInterval = "-3600" }, "NSDefaultValue")
        #expect(text == "NSDate\n  NS.time = -3600.0")
    }

    @Test func invalidDefaultsAreWarnings() throws {
        var model = Model(name: "M")
        model.entities = [Entity(name: "E")]
        model.entities[0].attributes = [Attribute(name: "a", type: .date)]
        model.entities[0].attributes[0].defaultValue = "NO"
        #expect(try EncodedModel(model).findings.map(\.rule) == [.lostWhenCompiled])
    }

    @Test func limitsBecomeValidationPredicates() throws {
        let warnings = try archived(
            .string,
            {
                $0.minimum = "1"
                $0.maximum = "20"
                $0.regularExpression = "a+"
            }, "NSValidationWarnings")
        #expect(warnings == "NSArray\n  - -> 1670\n  - -> 1660\n  - -> 1680")
        let number = try archived(
            .integer16,
            {
                $0.minimum = "0"; $0.maximum = "5"
            }, "NSValidationPredicates")
        let expected = """
            NSArray
              - -> NSComparisonPredicate
                NSLeftExpression -> NSSelfExpression
                  NSExpressionType = 1
                NSPredicateOperator -> NSComparisonPredicateOperator
                  NSModifier = 0
                  NSOperatorType = 3
                  NSOptions = 0
                  NSVariant = 3
                NSRightExpression -> NSConstantValueExpression
                  NSConstantValue -> 0
                  NSExpressionType = 0
              - -> NSComparisonPredicate
                NSLeftExpression -> NSSelfExpression
                  NSExpressionType = 1
                NSPredicateOperator -> NSComparisonPredicateOperator
                  NSModifier = 0
                  NSOperatorType = 1
                  NSOptions = 0
                  NSVariant = 1
                NSRightExpression -> NSConstantValueExpression
                  NSConstantValue -> 5
                  NSExpressionType = 0
            """
        #expect(number == expected)
        let date = try archived(.date, { $0.minimumDateInterval = "284000400" }, "NSValidationPredicates")
        #expect(date.contains("NSKeyPath -> \"timeIntervalSinceReferenceDate\""))
        #expect(date.contains("NSConstantValue -> 284000400.0"))
        #expect(try archived(.date, { $0.maximumDateInterval = "1" }, "NSValidationWarnings") == "NSArray\n  - -> 1630")
        // Apple's compiler truncates the decimals.
        #expect(
            try archived(.decimal, { $0.minimum = "-4.5" }, "NSValidationPredicates").contains(
                "NSConstantValue -> -4\n"))
    }

    @Test(arguments: [
        ("0", "0"), ("0.0", "0.0"), ("-1.50", "-1.50"), ("+7", "7"), ("12x", "12"), ("1e3", "1000"), ("5e-3", "0.005"),
        ("340282366920938463463374607431768211455", "340282366920938463463374607431768211455"),
        ("3402823669209384634633746074317682114559", "3402823669209384634633746074317682114550"),
        ("0.00000000000000000000000000000000000001234567", "0.00000000000000000000000000000000000001234567"),
    ])
    func parsesDecimals(text: String, value: String) {
        #expect(DecimalText(text)?.description == value)
    }

    @Test(arguments: ["", "x", "-", ".", "1e999", "1e99999999999999999999x", "1e-200"])
    func rejectsInvalidDecimals(text: String) {
        if let number = DecimalText(text) { #expect(number.description == "1") }
    }

    @Test func parsesUUIDs() {
        let text = "0F0E0D0C-0B0A-0908-0706-050403020100"
        #expect(UUIDText.bytes(of: text) == (0..<16).reversed().map { UInt8($0) })
        #expect(UUIDText.bytes(of: text).flatMap(UUIDText.text) == text)
        #expect(UUIDText.bytes(of: "0F0E0D0C-0B0A-0908-0706-0504030201") == nil)
        #expect(UUIDText.bytes(of: "0F0E0D0C-0B0A-0908-0706-05040302010G") == nil)
    }
}
