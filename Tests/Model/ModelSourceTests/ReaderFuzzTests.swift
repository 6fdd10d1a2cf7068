import Foundation
import ModelSource
import TestSupport
import Testing

/// Feeds mutated models to the reader. `MODELC_FUZZ_SECONDS=600 swift test --filter ReaderFuzz` runs longer; the seed
/// of a failure is printed with it.
@Suite struct ReaderFuzzTests {
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

    @Test func mutatedModelsNeitherCrashNorHang() throws {
        let deadline = Mutation.deadline
        var seed: UInt64 = 1
        var read = 0
        while Date() < deadline {
            var random = SeededGenerator(seed: seed)
            let bytes = Mutation.mutate(Array(Self.seedModel.utf8), &random)
            let lineCount = bytes.count { $0 == 0x0A || $0 == 0x0D } + 1
            if let document = try? ModelDocument(bytes: bytes, path: "m", name: "M") {
                read += 1
                for diagnostic in document.diagnostics(at: .loadable) {
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
