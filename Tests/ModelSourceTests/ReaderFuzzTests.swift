import Foundation
import ModelSource
import Testing

/// Feeds mutated models to the reader. `MODELC_FUZZ_SECONDS=600 swift test --filter ReaderFuzz` runs longer; the seed
/// of a failure is printed with it.
@Suite struct ReaderFuzzTests {
    /// SplitMix64: the same seed gives the same mutations everywhere.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }

    private static let seedModel = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <!DOCTYPE model [ <!ENTITY e "x"> ]>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="">
            <entity name="Größe" representedClassName=".A" parentEntity="B" syncable="YES" codeGenerationType="class">
                <attribute name="a" optional="YES" attributeType="String" regularExpressionString="&quot;&lt;&#x1F601;"/>
                <relationship name="r" toMany="YES" maxCount="3" destinationEntity="B" inverseName="i" inverseEntity="B"/>
                <fetchedProperty name="f"><fetchRequest name="x" entity="B" predicateString="a == 1"/></fetchedProperty>
                <fetchIndex name="i"><fetchIndexElement property="a" type="Binary" order="ascending"/></fetchIndex>
                <uniquenessConstraints><uniquenessConstraint><constraint value="a"/></uniquenessConstraint></uniquenessConstraints>
                <userInfo><entry key="k" value="v"/></userInfo>
            </entity>
            <!-- comment -->
            <entity name="B"><![CDATA[ text ]]></entity>
            <composite name="C"><attribute name="x" attributeType="Double"/></composite>
            <elements><element name="B" positionX="0" positionY="0" width="1" height="1"/></elements>
        </model>
        """

    private static let pieces = [
        "<", ">", "/>", "\"", "'", "&", "&amp;", "&#0;", "&e;", "<!--", "-->", "<![CDATA[", "]]>", "<?", "?>", "=",
        "<entity name=\"Z\">", "</entity>", "</model>", "<model>", "\n<<<<<<< a\n", "\n=======\n", "\n>>>>>>> b\n",
        "\u{0}",
        "\u{FEFF}", "😁", "xmlns:a=\"b\" ", "a:", "optional=\"maybe\" ", "<!DOCTYPE", "%p;", "\r", "\t",
    ].map { Array($0.utf8) }

    private func mutate(_ bytes: [UInt8], _ random: inout Generator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            guard !bytes.isEmpty else { return bytes }
            let place = Int.random(in: 0..<bytes.count, using: &random)
            let end = min(bytes.count, place + Int.random(in: 0...40, using: &random))
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.removeSubrange(place..<end)
            case 2: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 3: bytes.removeSubrange(place...)
            case 4: bytes.insert(contentsOf: Self.pieces.randomElement(using: &random) ?? [], at: place)
            default: bytes.swapAt(place, Int.random(in: 0..<bytes.count, using: &random))
            }
        }
        return bytes
    }

    @Test func mutatedModelsNeitherCrashNorHang() throws {
        let seconds = ProcessInfo.processInfo.environment["MODELC_FUZZ_SECONDS"].flatMap(Double.init) ?? 2
        let deadline = Date().addingTimeInterval(seconds)
        var seed: UInt64 = 1
        var read = 0
        while Date() < deadline {
            var random = Generator(state: seed)
            let bytes = mutate(Array(Self.seedModel.utf8), &random)
            let lineCount = bytes.count { $0 == 0x0A || $0 == 0x0D } + 1
            if let document = try? ModelDocument(bytes: bytes, path: "m", name: "M") {
                read += 1
                for diagnostic in document.diagnostics + document.structuralDiagnostics() {
                    let range = try #require(diagnostic.range, "seed \(seed)")
                    #expect(range.start <= range.end, "seed \(seed)")
                    #expect(range.end.line <= lineCount, "seed \(seed)")
                }
            }
            seed += 1
        }
        #expect(read > 10)
    }
}
