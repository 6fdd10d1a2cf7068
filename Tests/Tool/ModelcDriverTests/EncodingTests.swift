import Diagnostics
import Foundation
import ModelSchema
import TestSupport
import Testing

@testable import ModelSource
@testable import ModelcDriver

/// Every command that rewrites a model keeps the file's encoding and the model's content.
@Suite struct EncodingTests {
    /// A file encoding.
    struct Encoding: CustomTestStringConvertible, Sendable {
        var testDescription: String
        /// The name in the XML declaration, or `nil` for no declaration.
        var declaredName: String?
        /// Returns the bytes of a text, or `nil` if the encoding lacks a character.
        var encode: @Sendable (String) -> [UInt8]?
    }

    static let encodings: [Encoding] = [
        Encoding(testDescription: "UTF-8", declaredName: "UTF-8") { Array($0.utf8) },
        Encoding(testDescription: "UTF-8 without a declaration", declaredName: nil) { Array($0.utf8) },
        Encoding(testDescription: "UTF-8 with a mark", declaredName: "UTF-8") { [0xEF, 0xBB, 0xBF] + Array($0.utf8) },
        Encoding(testDescription: "UTF-16LE with a mark", declaredName: "UTF-16") {
            [0xFF, 0xFE] + bytes($0, .utf16LittleEndian)
        },
        Encoding(testDescription: "UTF-16BE with a mark", declaredName: "UTF-16") {
            [0xFE, 0xFF] + bytes($0, .utf16BigEndian)
        },
        Encoding(testDescription: "UTF-16LE with a mark, declared as UTF-8", declaredName: "UTF-8") {
            [0xFF, 0xFE] + bytes($0, .utf16LittleEndian)
        },
        Encoding(testDescription: "UTF-16LE", declaredName: "UTF-16LE") { bytes($0, .utf16LittleEndian) },
        Encoding(testDescription: "UTF-16BE", declaredName: "UTF-16BE") { bytes($0, .utf16BigEndian) },
        Encoding(testDescription: "UTF-16LE without mark and declaration", declaredName: nil) {
            bytes($0, .utf16LittleEndian)
        },
        Encoding(testDescription: "UTF-32LE with a mark", declaredName: "UTF-32") {
            [0xFF, 0xFE, 0, 0] + bytes($0, .utf32LittleEndian)
        },
        Encoding(testDescription: "UTF-32BE with a mark", declaredName: "UTF-32") {
            [0, 0, 0xFE, 0xFF] + bytes($0, .utf32BigEndian)
        },
        Encoding(testDescription: "UTF-32LE", declaredName: "UTF-32LE") { bytes($0, .utf32LittleEndian) },
        Encoding(testDescription: "UTF-32BE", declaredName: "UTF-32BE") { bytes($0, .utf32BigEndian) },
        Encoding(testDescription: "ISO-8859-1", declaredName: "ISO-8859-1") { text in
            let values = text.unicodeScalars.map(\.value)
            return values.allSatisfy { $0 < 0x100 } ? values.map { UInt8($0) } : nil
        },
        Encoding(testDescription: "US-ASCII", declaredName: "US-ASCII") { text in
            text.utf8.allSatisfy { $0 < 0x80 } ? Array(text.utf8) : nil
        },
    ]

    private static func bytes(_ text: String, _ encoding: String.Encoding) -> [UInt8] {
        text.data(using: encoding).map { Array($0) } ?? []
    }

    /// Models in UTF-8 without an XML declaration. Each has something to format and something to fix.
    static let models = [
        """
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="1" systemVersion="1">
            <entity name="Book" representedClassName="Book" syncable="YES" codeGenerationType="class">
                <relationship name="author" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Author"/>
                <attribute name="title" optional="YES" attributeType="String" defaultValueString="a &lt; b &amp; &quot;c&quot;"/>
                <attribute optional="YES" name="isRead" attributeType="Boolean" defaultValueString="NO" usesScalarValueType="YES"/>
            </entity>
            <entity name="Author" representedClassName="Author" syncable="YES" codeGenerationType="class">
                <relationship name="books" toMany="YES" deletionRule="Nullify" destinationEntity="Book" inverseName="author" inverseEntity="Book"/>
            </entity>
        </model>
        """,
        """
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="1" systemVersion="1">
            <!-- Größe -->
            <entity name="Straße" representedClassName="Strasse" syncable="YES" codeGenerationType="class">
                <attribute name="länge" optional="YES" attributeType="Double" defaultValueString="0.0" usesScalarValueType="YES"/>
                <attribute name="alt" optional="YES" attributeType="Integer 16" defaultValueString="0" usesScalarValueType="YES"/>
                <userInfo><entry key="é" value="ü&#10;ö"/></userInfo>
            </entity>
        </model>
        """,
        """
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" lastSavedToolsVersion="1" systemVersion="1">
            <entity name="本" representedClassName="Hon" syncable="YES" codeGenerationType="class">
                <attribute name="値段" optional="YES" attributeType="Decimal" defaultValueString="0.0"/>
                <attribute name="emoji" optional="YES" attributeType="String" defaultValueString="😁"/>
            </entity>
        </model>
        """,
    ]

    private let scratch: URL

    init() throws {
        scratch = FileManager.default.temporaryDirectory.appendingPathComponent("modelc-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: scratch.appendingPathComponent("M.xcdatamodel"), withIntermediateDirectories: true)
    }

    private static func encoded(_ model: String, _ encoding: Encoding) -> [UInt8]? {
        let declaration = encoding.declaredName.map { "<?xml version=\"1.0\" encoding=\"\($0)\"?>\n" } ?? ""
        return encoding.encode(declaration + model)
    }

    private func environment(_ printed: Box) -> DriverEnvironment {
        DriverEnvironment(
            files: POSIXFileSystem(workingDirectory: scratch.path), output: { printed.text += $0 },
            errorOutput: { printed.text += $0 }, usesColor: false)
    }

    private final class Box { var text = "" }

    private func write(_ bytes: [UInt8], _ path: String = "M.xcdatamodel/contents") throws {
        try Data(bytes).write(to: scratch.appendingPathComponent(path))
    }

    private func read(_ path: String = "M.xcdatamodel/contents") throws -> [UInt8] {
        Array(try Data(contentsOf: scratch.appendingPathComponent(path)))
    }

    /// Returns the content of a model in a file: its elements with all attributes, in any order.
    private static func content(_ bytes: [UInt8]) throws -> [String] {
        let tree = XMLTreeParser.parse(bytes)
        #expect(tree.problems.isEmpty)
        return tree.elements.map { element in
            let attributes = element.attributes.map { "\($0.name)=\($0.value)" }.sorted()
            return "\(element.parent < 0 ? "" : tree.elements[element.parent].name)/\(element.name) \(attributes)"
        }.sorted() + tree.remarks.map(\.markup)
    }

    private static func hashes(_ bytes: [UInt8]) throws -> EntityVersionHashes {
        try ModelDocument(bytes: bytes, path: "contents", name: "M").model.versionHashes().entities
    }

    /// Checks that a rewritten file has the encoding of the old one, by decoding it with Foundation.
    private static func expect(_ bytes: [UInt8], isIn encoding: Encoding, _ comment: String) throws {
        let source = SourceText(bytes)
        let text = String(decoding: source.utf8, as: UTF8.self)
        #expect(encoding.encode(text) == bytes, "\(comment): the encoding changed")
        #expect(source.firstInvalidOffset == nil)
        let name = source.encoding.declaredName ?? "UTF-8"
        #expect(encoding.declaredName == nil || encoding.declaredName == name || name.hasPrefix("UTF-16"), "\(comment)")
    }

    @Test(arguments: encodings)
    func formatKeepsTheEncodingAndTheContent(_ encoding: Encoding) throws {
        for model in try Self.models + Self.corpusModels() {
            guard let bytes = Self.encoded(model, encoding) else { continue }
            try write(bytes)
            let printed = Box()
            #expect(FormatCommand.runProgram([], in: environment(printed)) == .success, "\(printed.text)")
            let new = try read()
            #expect(try Self.content(new) == Self.content(bytes))
            try Self.expect(new, isIn: encoding, "format")
            // The text is the same as for a file in UTF-8, except for the name of the encoding.
            func withoutName(_ text: [UInt8]) -> [Substring] {
                String(decoding: text, as: UTF8.self).split(separator: "\n").dropFirst().map { $0 }
            }
            let plain = try ModelFormatter.format(Array(model.utf8), path: "contents")
            let text = SourceText(new).utf8
            #expect(encoding.testDescription == "US-ASCII" || withoutName(text) == withoutName(plain))
            #expect(try Self.hashes(new) == Self.hashes(bytes))
        }
    }

    @Test(arguments: encodings)
    func fixesKeepTheEncodingAndChangeOnlyWhatTheyName(_ encoding: Encoding) throws {
        var fixCount = 0
        for model in try Self.models + Self.corpusModels() {
            guard let bytes = Self.encoded(model, encoding) else { continue }
            for fixing in ["--fix", "--unsafe-fixes"] {
                var fixed: [[UInt8]] = []
                for file in [bytes, Array(model.utf8)] {
                    try write(file)
                    let printed = Box()
                    let code = LintCommand.runProgram([fixing], in: environment(printed))
                    #expect(code != .couldNotRun, "\(printed.text)")
                    #expect(!printed.text.contains("rewrite-mismatch"), "\(printed.text)")
                    fixed.append(try read())
                }
                if fixed[0] != bytes { fixCount += 1 }
                try Self.expect(fixed[0], isIn: encoding, "lint --fix")
                #expect(try Self.content(fixed[0]) == Self.content(fixed[1]))
                if fixing == "--fix" { #expect(try Self.hashes(fixed[0]) == Self.hashes(bytes)) }
            }
        }
        #expect(fixCount > 0)
    }

    @Test(arguments: encodings)
    func mergesKeepTheEncodingAndBothChanges(_ encoding: Encoding) throws {
        for model in try Self.models + Self.corpusModels() where model.contains("</model>") {
            let ours = model.replacing("<model ", with: "<model mergedFrom=\"ours\" ", maxReplacements: 1)
            #expect(ours != model)
            let theirs = model.replacing("</model>", with: "<entity name=\"Added\" syncable=\"YES\"/></model>")
            guard let base = Self.encoded(model, encoding), let our = Self.encoded(ours, encoding),
                let their = Self.encoded(theirs, encoding)
            else { continue }
            try write(base, "base")
            try write(our, "ours")
            try write(their, "theirs")
            let printed = Box()
            let code = MergeDriverCommand.runProgram(["base", "ours", "theirs"], in: environment(printed))
            #expect(code == .success, "\(printed.text)")
            let merged = try read("ours")
            try Self.expect(merged, isIn: encoding, "merge-driver")
            let expected = ours.replacing("</model>", with: "<entity name=\"Added\" syncable=\"YES\"/></model>")
            #expect(try Self.content(merged) == Self.content(Array(expected.utf8)))
        }
    }

    /// Conflicting sides in different encodings must not end up in one file with two encodings.
    @Test(arguments: encodings)
    func undecidableMergesAreInOneEncoding(_ encoding: Encoding) throws {
        let broken = "<model><entity name=\"A\"></model"
        guard let our = Self.encoded(Self.models[0], encoding) else { return }
        try write([], "base")
        try write(our, "ours")
        try write(Array(broken.utf8), "theirs")
        let printed = Box()
        let code = MergeDriverCommand.runProgram(["base", "ours", "theirs"], in: environment(printed))
        #expect(code == .findings)
        let both = try read("ours")
        let text = String(decoding: SourceText(both).utf8, as: UTF8.self)
        #expect(ConflictMarkers.find(in: Array(text.utf8))?.markers.count == 3)
        #expect(text.contains("<entity name=\"A\">") && text.contains("<entity name=\"Book\""))
    }

    @Test func aFixThatTheEncodingCannotRepresentIsRejected() throws {
        let model = "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<model><entity name=\"A\"/></model>"
        let document = try ModelDocument(bytes: Array(model.utf8), path: "contents", name: "M")
        let edit = try #require(
            document.edit(setting: "representedClassName", to: "本", of: document.model.entities[0].origin))
        let error = #expect(throws: EditFailure.self) { try document.applying([edit]) }
        #expect(error?.diagnostic.rule == .cannotEncode)
        #expect(error?.diagnostic.message == "ISO-8859-1 cannot represent “本” (U+672C)")
    }

    @Test func formatWritesReferencesForCharactersThatTheEncodingLacks() throws {
        let model = "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n<model><entity name=\"&#x672C;\"/></model>"
        let new = try ModelFormatter.format(Array(model.utf8), path: "contents")
        #expect(String(decoding: new, as: UTF8.self).contains("<entity name=\"&#26412;\"/>"))
        #expect(try ModelDocument(bytes: new, path: "contents", name: "M").model.entities[0].name == "本")
    }

    /// An edit that changes more than the attribute it names is a bug in a rule, and must not be applied.
    @Test func anEditThatChangesAnotherAttributeIsRejected() throws {
        let text = "<model><entity name=\"A\" representedClassName=\"A\"/><entity name=\"B\"/></model>"
        let document = try ModelDocument(bytes: Array(text.utf8), path: "contents", name: "M")
        let location = try #require(text.utf8.firstRange(of: "A".utf8)?.lowerBound.utf16Offset(in: text))
        let replacements = [
            (location..<location + 1, "Z\" syncable=\"YES"), (0..<0, "<a/>"), (location..<location + 10, "Z"),
            (location - 1..<location, ""), (text.utf8.count - 8..<text.utf8.count, ""),
        ]
        for (bytes, replacement) in replacements {
            let edit = FixIt.Edit(bytes: bytes, range: .fileStart, replacement: replacement)
            let error = #expect(throws: EditFailure.self, "\(replacement)") { try document.applying([edit]) }
            #expect(error?.diagnostic.rule == .rewriteMismatch)
        }
    }

    private static let undecodable: [[UInt8]] = {
        let model = "<model/>"
        let declared = "<?xml version=\"1.0\" encoding=\"windows-1252\"?><model><entity name=\"\u{20AC}\"/></model>"
        let loneSurrogate: [UInt8] = [0xFF, 0xFE] + bytes(model, .utf16LittleEndian) + [0x00, 0xD8]
        let halfAUnit: [UInt8] = [0xFF, 0xFE] + bytes(model, .utf16LittleEndian) + [0x20]
        let tooLarge: [UInt8] = [0xFF, 0xFE, 0, 0] + bytes(model, .utf32LittleEndian) + [0, 0, 0x11, 0]
        return [Array(declared.utf8), loneSurrogate, halfAUnit, tooLarge]
    }()

    @Test(arguments: undecodable)
    func textThatCannotBeDecodedIsReportedAndLeftAlone(_ bytes: [UInt8]) throws {
        try write(bytes)
        let printed = Box()
        #expect(FormatCommand.runProgram([], in: environment(printed)) == .findings)
        #expect(printed.text.contains("[unsupported-encoding]"), "\(printed.text)")
        #expect(try read() == bytes)
    }

    /// Returns models in the folder named by `MODELC_CORPUS`, all in the long form; none if it is not set.
    private static func corpusModels() throws -> [String] {
        guard let root = ProcessInfo.processInfo.environment["MODELC_CORPUS"] else { return [] }
        var models: [String] = []
        let folder = URL(fileURLWithPath: root).appendingPathComponent("models")
        for case let path as String in FileManager.default.enumerator(atPath: folder.path) ?? .init()
        where path.hasSuffix(".xcdatamodel/contents") {
            let bytes = Array(try Data(contentsOf: folder.appendingPathComponent(path)))
            guard XMLTreeParser.parse(bytes).problems.isEmpty else { continue }
            let text = String(decoding: bytes, as: UTF8.self)
            let body = text.hasPrefix("<?xml") ? text.firstRange(of: "?>").map { String(text[$0.upperBound...]) } : text
            models.append(body.map { String($0.drop(while: \.isWhitespace)) } ?? text)
        }
        guard !runsLongForms else { return models }
        // To an encoding, models are of two kinds. Small ones of each are as good as large ones.
        models.sort { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
        let isASCII = { (text: String) in text.utf8.allSatisfy { $0 < 0x80 } }
        return Array(models.filter { !isASCII($0) }.prefix(8) + models.filter(isASCII).prefix(4))
    }
}
