import Foundation
import TestSupport
import Testing

/// Imports go in one direction (ARCHITECTURE.md, "The wings").
@Suite struct ImportOrderTests {
    /// The modules of the project that each module may import.
    private static let allowed: [String: Set<String>] = [
        "CLibrary": [],
        "Diagnostics": [],
        "ProjectConfiguration": ["Diagnostics"],
        "PredicateSyntax": [],
        "ModelSchema": ["Diagnostics", "PredicateSyntax"],
        "CloudKitSchema": ["Diagnostics", "ModelSchema"],
        "ModelSource": ["CLibXML2", "Diagnostics", "ModelSchema"],
        "CompiledModel": ["Diagnostics", "ModelSchema", "PredicateSyntax"],
        "CompiledMapping": ["CompiledModel", "Diagnostics", "ModelSchema", "PredicateSyntax"],
        "MappingModel": [
            "CompiledMapping", "CompiledModel", "Diagnostics", "ModelSchema", "ModelSource", "PredicateSyntax",
        ],
        "StoreFile": ["CLibrary", "CSQLite3", "CSystemSQLite", "CZlib", "CompiledModel", "ModelSchema"],
        "ModelLint": ["CloudKitSchema", "Diagnostics", "ModelSchema", "ModelSource", "PredicateSyntax"],
        "ModelMigration": ["ModelSchema"],
        "ModelEvolution": ["CloudKitSchema", "Diagnostics", "ModelMigration", "ModelSchema"],
        "ModelCheck": ["Diagnostics", "ModelEvolution", "ModelLint"],
        "ModelGraph": ["Diagnostics", "ModelSchema"],
        "Templates": [],
        "SwiftSources": [],
        "SwiftDataRules": ["ModelSchema"],
        "SwiftDataModel": ["Diagnostics", "ModelSchema", "SwiftDataRules", "SwiftSources"],
        "CodeGeneration": ["Diagnostics", "ModelSchema", "PredicateSyntax", "SwiftSources"],
        "ModelcDriver": [
            "CLibrary", "CSystemCalls", "CloudKitSchema", "CodeGeneration", "CompiledMapping", "CompiledModel",
            "Diagnostics", "MappingModel",
            "ModelCheck", "ModelEvolution", "ModelGraph", "ModelLint", "ModelMigration", "ModelSchema", "ModelSource",
            "PredicateSyntax", "ProjectConfiguration", "StoreFile",
            "SwiftDataModel",
            "SwiftSources",
            "Templates",
        ],
        "modelc": ["ModelcDriver"],
        "FoundationAliases": [],
        "RuntimeSupport": ["CCoreDataSupport"],
        "CoreDataFoundationExtras": ["RuntimeSupport"],
        "UnifiedLogging": [],
        "CoreData": [
            "CCoreDataSupport", "CSQLite3", "CompiledMapping", "CompiledModel", "CoreDataFoundationExtras",
            "Diagnostics", "FoundationAliases", "ModelMigration", "ModelSchema", "PredicateSyntax", "RuntimeSupport",
            "StoreFile",
        ],
        "SwiftDataMacros": [],
        "SwiftData": ["CCoreDataSupport", "CoreData", "ModelSchema", "RuntimeSupport", "SwiftDataRules"],
        "PostgreSQLClient": ["CLibPQ"],
        "PostgreSQLSchema": ["CompiledModel", "CoreData", "ModelMigration", "PredicateSyntax", "RuntimeSupport"],
        "CoreDataPostgreSQL": [
            "CompiledModel", "CoreData", "ModelMigration", "PostgreSQLClient", "PostgreSQLSchema", "PredicateSyntax",
            "RuntimeSupport",
        ],
        "StoreDoctor": [
            "CLibrary", "CSQLite3", "CompiledModel", "CoreData", "Diagnostics", "ModelLint", "ModelSchema",
            "PredicateSyntax", "StoreFile",
        ],
        "StoreTools": [
            "CSQLite3", "CompiledMapping", "CompiledModel", "CoreData", "Diagnostics", "ModelMigration", "ModelSchema",
            "ModelSource", "ModelcDriver", "PostgreSQLSchema", "StoreDoctor", "StoreFile",
        ],
        "modelc-store": ["StoreTools"],
        "modelc-postgresql": ["CoreDataPostgreSQL", "ModelcDriver", "StoreTools"],
        "StudioPage": [],
        "ModelEditor": [
            "CLibrary", "Diagnostics", "ModelGraph", "ModelSchema", "ModelSource", "ModelcDriver", "PredicateSyntax",
        ],
        "StoreBrowser": [
            "StoreDoctor", "CompiledModel", "CoreData", "Diagnostics", "ModelcDriver", "PredicateSyntax", "StoreFile",
            "StoreTools",
            "ModelEditor",
        ],
        "StudioServer": [
            "Diagnostics", "ModelcDriver", "ModelEditor", "StoreBrowser", "StoreTools", "StudioPage",
        ],
    ]

    /// The folders of all modules, by name.
    private static func folders() throws -> [String: URL] {
        let sources = Checkout.root.appendingPathComponent("Sources")
        var result: [String: URL] = [:]
        for wing in try FileManager.default.contentsOfDirectory(atPath: sources.path) {
            let folder = sources.appendingPathComponent(wing)
            for module in try FileManager.default.contentsOfDirectory(atPath: folder.path) where !module.contains(".") {
                result[module] = folder.appendingPathComponent(module)
            }
        }
        return result
    }

    private static func sources(of module: String) throws -> [URL] {
        let folder = try #require(folders()[module])
        let paths = try #require(FileManager.default.enumerator(atPath: folder.path))
        return paths.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.map(folder.appendingPathComponent)
    }

    @Test func everyModuleIsListed() throws {
        let modules = try Self.folders().keys.filter {
            !["CCoreDataSupport", "CLibPQ", "CLibXML2", "CSQLite3", "CSystemCalls", "CSystemSQLite", "CZlib"].contains(
                $0)
        }
        #expect(Set(modules) == Set(Self.allowed.keys))
    }

    @Test(arguments: allowed.keys.sorted())
    func importsRunOneWay(module: String) throws {
        let allowed = try #require(Self.allowed[module])
        for file in try Self.sources(of: module) {
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            where !line.hasPrefix("//") {
                let words = line.split(separator: " ")
                guard let position = words.firstIndex(of: "import"), position <= 1, position + 1 < words.count else {
                    continue
                }
                let imported = String(words[position + 1])
                guard Self.allowed.keys.contains(imported) || imported.hasPrefix("CLib") || imported == "CSystemCalls"
                else { continue }
                #expect(allowed.contains(imported), "\(file.lastPathComponent) imports \(imported)")
            }
        }
    }

    /// Only one file names the C libraries of platforms, so that none is forgotten in another.
    @Test func cLibrariesOfPlatformsAreImportedInOnePlace() throws {
        let names = ["Android", "Bionic", "Darwin", "Glibc", "Musl", "ucrt", "WASILibc", "WinSDK"]
        for module in try Self.folders().keys.sorted() where module != "CLibrary" {
            for file in try Self.sources(of: module) {
                let words = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
                    .compactMap { $0.contains("import ") ? $0.split(separator: " ").last.map(String.init) : nil }
                #expect(words.allSatisfy { !names.contains($0) }, "\(file.lastPathComponent)")
            }
        }
    }

    /// There is no `print`, `exit`, `FileManager` or environment below ModelcDriver (ARCHITECTURE.md, "Invariants"),
    /// except that StoreFile asks for the folder of temporary files.
    @Test(arguments: [
        "CloudKitSchema", "CodeGeneration", "CompiledMapping", "CompiledModel", "Diagnostics", "MappingModel",
        "ModelCheck", "ModelGraph", "ModelLint", "ModelMigration", "ModelSchema",
        "ModelSource", "PredicateSyntax", "ProjectConfiguration", "StoreFile", "SwiftDataModel",
        "SwiftDataRules", "SwiftSources",
    ])
    func theCoreTouchesNothingOutside(module: String) throws {
        for file in try Self.sources(of: module) {
            let text = try String(contentsOf: file, encoding: .utf8)
            for word in ["print(", "exit(", "FileManager", "ProcessInfo", "getenv(", "import Foundation"]
            where module != "StoreFile" || word != "getenv(" {
                let uses = text.split(separator: "\n").filter { line in
                    line.contains(word) && !line.trimmingCharacters(in: .whitespaces).hasPrefix("//")
                        && line.range(
                            of: "(^|[^A-Za-z.])" + NSRegularExpression.escapedPattern(for: word),
                            options: .regularExpression) != nil
                }
                #expect(uses.isEmpty, "\(file.lastPathComponent) uses \(word)")
            }
        }
    }

    /// The tool starts fast (ARCHITECTURE.md, "Invariants").
    @Test func theDriverDoesNotImportFoundation() throws {
        for file in try Self.sources(of: "ModelcDriver") {
            let text = try String(contentsOf: file, encoding: .utf8)
            let found = text.firstMatch(of: /^(?:\w+ )?import Foundation/.anchorsMatchLineEndings())
            #expect(found == nil, "\(file.lastPathComponent)")
        }
    }
}
