import Testing

@testable import CompiledModel

@Suite struct PropertyListTests {
    static let sample = PropertyListValue.dictionary([
        .init("yes", .boolean(true)), .init("no", .boolean(false)),
        .init(
            "integers",
            .array([0, 1, 255, 256, 65535, 65536, 4_294_967_295, 4_294_967_296, .max, -1, .min].map { .integer($0) })),
        .init("unsigned", .unsigned(.max)), .init("real", .real(-0.1)), .init("float", .float(1.5)),
        .init("date", .date(631_123_200)), .init("data", .data(Array(0...20))), .init("empty", .data([])),
        .init("text", .string("plain")), .init("wide", .string("Grüße 😁")), .init("nothing", .string("")),
        .init("long", .string(String(repeating: "x", count: 300))), .init("uid", .uid(70_000)),
        .init("set", .set([.integer(1), .string("a")])), .init("nested", .array([.array([]), .dictionary([])])),
    ])

    @Test func propertyListsRoundTrip() throws {
        #expect(try PropertyListValue(binary: Self.sample.binaryBytes()) == Self.sample)
    }

    @Test func manyObjectsUseWiderReferences() throws {
        let list = PropertyListValue.array((0..<70_000).map { .integer($0) })
        #expect(try PropertyListValue(binary: list.binaryBytes()) == list)
    }

    /// The output of `plutil -convert binary1` for `<true/>`, from the published format.
    @Test func smallestFileMatchesPlutil() throws {
        let bytes: [UInt8] =
            Array("bplist00".utf8) + [0x09, 0x08] + [0, 0, 0, 0, 0, 0, 1, 1]
            + [0, 0, 0, 0, 0, 0, 0, 1] + [0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, 9]
        #expect(try PropertyListValue(binary: bytes) == .boolean(true))
        #expect(PropertyListValue.boolean(true).binaryBytes() == bytes)
    }

    @Test func equalScalarsAreUniqued() throws {
        let list = try BinaryPropertyList(
            PropertyListValue.array([.string("a"), .string("a"), .integer(1), .integer(1), .real(1)]).binaryBytes())
        #expect(list.objects.count == 4)
    }

    @Test func otherFormatsAreRecognized() {
        func kind(_ text: String) -> PropertyListError.Kind? {
            do {
                _ = try PropertyListValue(binary: Array(text.utf8))
                return nil
            } catch { return error.kind }
        }
        #expect(kind("<?xml version=\"1.0\"?><plist/>") == .isXML)
        #expect(kind("\n  <plist/>") == .isXML)
        #expect(kind("") == .isSomethingElse)
        #expect(kind("SQLite format 3") == .isSomethingElse)
        #expect(kind("bplist00") == .isMalformed)
    }

    @Test func everyTruncationIsAnError() {
        let bytes = Self.sample.binaryBytes()
        for count in bytes.indices {
            #expect(throws: PropertyListError.self) { try PropertyListValue(binary: Array(bytes[..<count])) }
        }
    }

    @Test func cyclicListsAreErrors() throws {
        let bytes = file(objects: [[0xA1, 0x00]])
        let error = #expect(throws: PropertyListError.self) { try PropertyListValue(binary: bytes) }
        #expect(error?.kind == .isTooLarge)
        // The table itself is harmless.
        #expect(try BinaryPropertyList(bytes).objects.count == 1)
    }

    @Test func exponentiallySharedListsAreErrors() {
        // Thirty arrays, each containing the next one ten times.
        let objects = (0..<30).map { [0xAA] + Array(repeating: UInt8($0 + 1), count: 10) } + [[0x09]]
        let error = #expect(throws: PropertyListError.self) { try PropertyListValue(binary: file(objects: objects)) }
        #expect(error?.kind == .isTooLarge)
    }

    @Test func deeplyNestedListsAreErrors() {
        let objects = (0..<100_000).map { index -> [UInt8] in
            let next = index + 1
            return [0xA1, UInt8(next >> 16), UInt8(next >> 8 & 0xFF), UInt8(next & 0xFF)]
        }
        let bytes = file(objects: objects + [[0x09]], referenceSize: 3)
        let error = #expect(throws: PropertyListError.self) { try PropertyListValue(binary: bytes) }
        #expect(error?.kind == .isTooLarge)
    }

    @Test func overlappingObjectsAreErrors() {
        // Every object is the same long array.
        let array: [UInt8] = [0xAF, 0x11, 0x07, 0xD0] + Array(repeating: 0, count: 2000)
        let bytes = file(objects: [array], offsets: Array(repeating: 8, count: 2000), referenceSize: 1)
        let error = #expect(throws: PropertyListError.self) { try BinaryPropertyList(bytes) }
        #expect(error?.kind == .isTooLarge)
    }

    @Test(
        arguments: [
            [0xA1, 0x05],  // a reference to an object that does not exist
            [0xAF, 0x13, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],  // a huge count
            [0x5F, 0x12, 0xFF, 0xFF, 0xFF, 0xFF],  // a huge length
            [0x5F, 0x14],  // a length with an invalid size
            [0x13, 0x00],  // a number that ends early
            [0x23, 0x00], [0x33], [0x4F], [0x0C], [0x70 | 0x0E], [0x90], [0xE0], [0xF0], [0x21, 0x00], [0x18], [0x88],
        ] as [[UInt8]])
    func malformedObjectsAreErrors(object: [UInt8]) {
        #expect(throws: PropertyListError.self) { try BinaryPropertyList(file(objects: [object])) }
    }

    @Test(arguments: [
        (6, 0), (6, 9), (7, 0), (7, 9), (8, 0xFF), (16, 0xFF), (24, 0x80), (23, 9), (31, 0), (31, 0xFF),
    ])
    func malformedTrailersAreErrors(position: Int, value: UInt8) {
        var bytes = PropertyListValue.array([.boolean(true)]).binaryBytes()
        bytes[bytes.count - 32 + position] = value
        #expect(throws: PropertyListError.self) { try BinaryPropertyList(bytes) }
    }

    @Test func errorsStateTheByteOffset() {
        let error = #expect(throws: PropertyListError.self) {
            try BinaryPropertyList(file(objects: [[0x09], [0xA1, 9]]))
        }
        #expect(error?.offset == 10)
        #expect(error?.description == "a container refers to an object that does not exist (byte 10)")
    }

    @Test func sixteenByteIntegersAreRead() throws {
        let bytes = file(objects: [[0x14] + Array(repeating: 0xFF, count: 16)])
        guard case .largeInteger(high: .max, low: .max)? = try BinaryPropertyList(bytes).objects.first else {
            Issue.record("no large integer")
            return
        }
    }

    @Test(
        arguments: [
            ("<string>a&lt;&#65;&#x42;</string>", .string("a<AB")), ("<string/>", .string("")),
            ("<true/>", .boolean(true)),
            ("<integer> -5 </integer>", .integer(-5)), ("<integer>18446744073709551615</integer>", .unsigned(.max)),
            ("<real>1.5</real>", .real(1.5)), ("<data>Zm9v\nYmE=</data>", .data(Array("fooba".utf8))),
            ("<!-- <dict> --><array><dict/><false/></array>", .array([.dictionary([]), .boolean(false)])),
        ] as [(String, PropertyListValue)])
    func readsXML(text: String, value: PropertyListValue) throws {
        #expect(
            try PropertyListValue(Array("<?xml version=\"1.0\"?><plist version=\"1.0\">\(text)</plist>".utf8)) == value)
    }

    @Test(arguments: [
        "", "<dict>", "</dict>", "<dict><key>a</key></dict>", "<dict><true/></dict>", "<array><key>a</key></array>",
        "<true/><true/>", "<string>&unknown;</string>", "<string>&</string>", "<string>&#xFFFFFFFFF;</string>",
        "<integer>x</integer>", "<data>?</data>", "<what/>", "<string>a", "<!-- ", "<", "<dict></array>",
        "<string><true/></string>", String(repeating: "<array>", count: 100_000),
    ])
    func malformedXMLIsAnError(text: String) {
        for file in ["<plist>\(text)", "<plist>\(text)</plist>"] {
            #expect(throws: PropertyListError.self) { try PropertyListValue(Array(file.utf8)) }
        }
    }

    /// Returns a file of raw objects.
    private func file(objects: [[UInt8]], offsets: [Int]? = nil, referenceSize: UInt8 = 1) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var positions: [Int] = []
        for object in objects {
            positions.append(bytes.count)
            bytes += object
        }
        let table = bytes.count
        let entries = offsets ?? positions
        for offset in entries { bytes += [UInt8(offset >> 16), UInt8(offset >> 8 & 0xFF), UInt8(offset & 0xFF)] }
        bytes += [0, 0, 0, 0, 0, 0, 3, referenceSize]
        for number in [entries.count, 0, table] {
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
        }
        return bytes
    }
}
