import ModelSchema
import Testing

/// The parsers of the compiler, and whether a text is exactly what they read.
@Suite struct NumberParsingTests {
    @Test(
        arguments: [
            ("12", 12, true), ("-3", -3, true), ("+3", 3, true), ("0.0", 0, true), ("5.", 5, true), ("1.5", 1, false),
            ("0x10", 0, false), ("", 0, false), (" 1", 1, false), ("1 ", 1, false), ("1e3", 1, false),
            ("nan", 0, false),
            ("9223372036854775807", .max, true), ("9223372036854775808", .max, false),
            ("-9223372036854775809", .min, false),
            ("١", 0, false),
        ] as [(String, Int64, Bool)])
    func integersAreParsedWithTheirExactness(text: String, value: Int64, isExact: Bool) {
        #expect(NumberText.parseInteger(text) == (value, isExact))
        #expect(NumberText.integer(text) == value)
    }

    @Test(
        arguments: [
            ("1.5", 1.5, true), (".5", 0.5, true), ("5.", 5, true), ("-1e3", -1000, true), ("1e", 1, false),
            ("nan", 0, false), ("inf", 0, false), ("1,5", 1, false), (" 1", 1, false), ("1 ", 1, false), ("", 0, false),
        ] as [(String, Double, Bool)])
    func realsAreParsedWithTheirExactness(text: String, value: Double, isExact: Bool) {
        #expect(NumberText.parseReal(text) == (value, isExact))
        #expect(NumberText.real(text) == value)
    }

    @Test func numbersBeyondDoubleAreNotExact() {
        #expect(NumberText.parseReal("1e999").value == .infinity)
        #expect(!NumberText.parseReal("1e999").isExact)
    }

    @Test(
        arguments: [
            ("YES", true, true), ("no", false, true), ("True", true, true), ("0", false, true), ("1", true, true),
            ("on", false, false), ("2", true, false), ("yes please", true, false), ("", false, false),
        ] as [(String, Bool, Bool)])
    func booleansAreParsedWithTheirExactness(text: String, value: Bool, isExact: Bool) {
        #expect(NumberText.parseBoolean(text) == (value, isExact))
    }

    @Test(arguments: [
        ("1.50", "1.50", true), ("1.5e2", "150", true), ("-2E-1", "-0.2", true), ("1,5", "1", false),
        ("1e5x", "100000", false), ("1e", "1", false), (" 1", "1", false), ("1 ", "1", false),
    ])
    func decimalsAreParsedWithTheirExactness(text: String, value: String, isExact: Bool) throws {
        let parsed = try #require(DecimalText.parse(text))
        #expect(parsed.number.description == value)
        #expect(parsed.isExact == isExact)
    }

    @Test func decimalsWithoutANumber() {
        for text in ["", "x", "-", ".", "1e999"] { #expect(DecimalText.parse(text) == nil) }
    }

    @Test(arguments: [
        ("1.50", "1.5", true), ("1e3", "1000.0", true), ("-0", "0.00", true), ("100", "10", false), ("-1", "1", false),
    ])
    func decimalsAreComparedByValue(first: String, second: String, isEqual: Bool) throws {
        let (first, second) = (try #require(DecimalText(first)), try #require(DecimalText(second)))
        #expect(first.isEqual(to: second) == isEqual)
    }
}
