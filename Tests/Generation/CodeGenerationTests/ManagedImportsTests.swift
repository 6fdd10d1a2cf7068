import Testing

@testable import CodeGeneration

/// The imports of the file with accessors, which compiles without warnings whatever the sources import.
@Suite struct ManagedImportsTests {
    private func imports(_ text: String) -> [String] {
        let text = text + "\nclass Book: NSManagedObject { @NSManaged var title: String? }\n"
        let source = ManagedSource(path: "/p/Book.swift", bytes: Array(text.utf8), isExcluded: false)
        let file = ManagedCode(moduleName: "Shop", models: [], sources: [source]).accessorsFile(named: "x")
        return file.split(separator: "\n").map(String.init).filter {
            $0.contains("import ") || $0.contains("typealias ")
        }
    }

    /// The compiler warns about a public import that no public declaration uses.
    @Test func publicImportsAreReused() {
        #expect(
            imports("public import CoreData\npublic import Foundation") == [
                "public import CoreData", "public import Foundation",
                "public typealias _Shop_managed_NSManagedObject = NSManagedObject",
                "public typealias _Shop_managed_NSSet = NSSet",
            ])
        #expect(
            imports("package import CoreData") == [
                "import Foundation", "package import CoreData",
                "package typealias _Shop_managed_NSManagedObject = NSManagedObject",
            ])
    }

    /// Accessors do not use types of other modules.
    @Test func otherModulesAreNotImported() {
        #expect(imports("import CoreData\npublic import Networking") == ["import CoreData", "import Foundation"])
    }
}
