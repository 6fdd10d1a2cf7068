import SwiftSources
import Testing

@testable import CodeGeneration

/// Symbols as emitted by Swift 6.3's compiler: the expectations are the output of `nm` for such sources.
@Suite struct SymbolManglerTests {
    private func source(_ text: String) -> ManagedSource {
        ManagedSource(path: "Sources/Books/a.swift", bytes: Array(text.utf8), isExcluded: false)
    }

    private func symbols(_ declaration: String, module: String = "Books") throws -> [String] {
        let source = source(
            """
            import Foundation
            public class Owner: NSManagedObject {}
            public struct Val { public enum K: Int { case a } }
            class Books: NSManagedObject { \(declaration.contains("/*Books*/") ? declaration : "") }
            public class Book: NSManagedObject {
                public class Inner: NSManagedObject { \(declaration.contains("/*Inner*/") ? declaration : "") }
                public enum Status: Int16 { case x }
                \(declaration.contains("/*") ? "" : declaration)
            }
            """)
        let file = ManagedCode(moduleName: module, models: [], sources: [source]).accessorsFile(named: "x")
        return file.split(separator: "\n").compactMap { line in
            line.contains("@_silgen_name") ? line.split(separator: "\"").dropFirst().first.map(String.init) : nil
        }
    }

    @Test(arguments: [
        ("title: String?", "$s5Books4BookC5titleSSSgv"), ("year: Int16", "$s5Books4BookC4years5Int16Vv"),
        ("owner: Owner?", "$s5Books4BookC5ownerAA5OwnerCSgv"), ("sibling: Book!", "$s5Books4BookC7siblingACSgv"),
        ("status: Status", "$s5Books4BookC6statusAC6StatusOv"), ("titleBook: String", "$s5Books4BookC05titleB0SSv"),
        ("bookTitle_x: Date", "$s5Books4BookC11bookTitle_x20FoundationEssentials4DateVv"),
        ("set: Set<Book>", "$s5Books4BookC3setShyACGv"), ("oset: Set<Owner>?", "$s5Books4BookC4osetShyAA5OwnerCGSgv"),
        ("arr: [Owner]", "$s5Books4BookC3arrSayAA5OwnerCGv"),
        ("dict: [String: Any]?", "$s5Books4BookC4dictSDySSypGSgv"),
        ("dict2: [String: [Int]]", "$s5Books4BookC5dict2SDySSSaySiGGv"),
        ("ns: NSSet?", "$s5Books4BookC2ns10Foundation5NSSetCSgv"),
        ("nso: NSOrderedSet", "$s5Books4BookC3nso10Foundation12NSOrderedSetCv"),
        ("num: NSNumber?", "$s5Books4BookC3num10Foundation8NSNumberCSgv"),
        ("data: Data?", "$s5Books4BookC4data20FoundationEssentials4DataVSgv"),
        ("uuid: Foundation.UUID", "$s5Books4BookC4uuid20FoundationEssentials4UUIDVv"),
        ("t: TimeInterval", "$s5Books4BookC1tSdv"), ("b: Bool", "$s5Books4BookC1bSbv"),
        ("f: Float", "$s5Books4BookC1fSfv"),
        ("k: Val.K", "$s5Books4BookC1kAA3ValV1KOv"), ("v: Val?", "$s5Books4BookC1vAA3ValVSgv"),
        ("any: Any?", "$s5Books4BookC3anyypSgv"), ("anyo: AnyObject?", "$s5Books4BookC4anyoyXlSgv"),
        ("été: String?", "$s5Books4BookC006t_JfabSSSgv"), ("p2: String?", "$s5Books4BookC2p2SSSgv"),
    ])
    func manglesProperties(_ declaration: String, symbol: String) throws {
        #expect(try symbols("@NSManaged var \(declaration)") == [symbol + "g", symbol + "s"])
    }

    @Test(arguments: [
        ("/*Inner*/ @NSManaged var innerTitle: String", "$s5Books4BookC5InnerC10innerTitleSSv"),
        (
            "@NSManaged private var priv: String?",
            "$s5Books4BookC4priv33_266F2C9C3DD502DB7626B3E20A28360DLLSSSgv"
        ),
    ])
    func manglesNestedAndPrivateProperties(_ declaration: String, symbol: String) throws {
        #expect(try symbols(declaration) == [symbol + "g", symbol + "s"])
    }

    @Test(arguments: [
        ("addToAuthors(_ v: Owner)", "$s5Books4BookC12addToAuthorsyyAA5OwnerCF"),
        ("replacePages(at idx: Int, with v: Owner)", "$s5Books4BookC12replacePages2at4withySi_AA5OwnerCtF"),
        ("insertIntoPages(_ v: Owner, at idx: Int)", "$s5Books4BookC15insertIntoPages_2atyAA5OwnerC_SitF"),
        (
            "insertIntoPages(_ v: [Owner], at idx: NSIndexSet)",
            "$s5Books4BookC15insertIntoPages_2atySayAA5OwnerCG_10Foundation10NSIndexSetCtF"
        ),
        ("removeFromPages(at idx: Int)", "$s5Books4BookC15removeFromPages2atySi_tF"),
        ("addSet(_ v: NSSet)", "$s5Books4BookC6addSetyy10Foundation5NSSetCF"),
    ])
    func manglesFunctions(_ declaration: String, symbol: String) throws {
        #expect(try symbols("@NSManaged func \(declaration)") == [symbol])
    }

    @Test func computesMD5() {
        // RFC 1321, A.5.
        #expect(MD5.hexString([]) == "D41D8CD98F00B204E9800998ECF8427E")
        #expect(MD5.hexString(Array("message digest".utf8)) == "F96B697D7CB7938D525A2F31AAF161D0")
        let long = String(repeating: "1234567890", count: 8)
        #expect(MD5.hexString(Array(long.utf8)) == "57EDF4A22BE3C955AC49DA2E2107B67A")
    }
}
