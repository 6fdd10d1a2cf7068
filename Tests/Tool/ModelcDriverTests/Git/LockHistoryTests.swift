import Foundation
import Testing

@testable import ModelcDriver

/// `modelc lock check` tells what changed in an entity since its hash was locked.
@Suite struct LockHistoryTests {
    private let repository: GitRepository

    init() throws {
        repository = try GitRepository()
    }

    private func check() -> String {
        let result = repository.run { LockCheckCommand.runProgram([], in: $0) }
        #expect(result.code == .findings)
        return result.errorOutput
    }

    private func update(_ arguments: String...) throws {
        let result = repository.run { LockUpdateCommand.runProgram(arguments, in: $0) }
        try #require(result.code == .success, "\(result.errorOutput)")
    }

    @Test func theChangedPropertyAndItsLineAreNamed() throws {
        try repository.writeVersion("M", attributes: ["title", "year", "isbn"])
        try update("--release", "M")
        try repository.commit()
        let path = "M.xcdatamodeld/M.xcdatamodel/contents"
        try repository.write(
            """
            <model>
            <entity name="Book">
            <attribute name="title" attributeType="String"/>
            <attribute name="year" optional="YES" attributeType="String"/>
            </entity>
            </model>
            """, to: path)
        let uncommitted = check()
        #expect(
            uncommitted.contains("has a different hash: “isbn” removed, “title” (optional) [released-version-edited]"))
        #expect(uncommitted.contains("\(path):3:1"))
        #expect(uncommitted.contains("“title”: optional: yes → no"))
        // After later commits too, of which HEAD has the edit.
        try repository.commit()
        try repository.commit()
        #expect(check() == uncommitted)
    }

    @Test func uncommittedReleaseHasNoDetails() throws {
        try repository.writeVersion("M", attributes: ["title"])
        try update("--release", "M")
        // The lock is not committed, and neither is the model.
        try repository.writeVersion("M", attributes: ["name"])
        #expect(check().contains("has a different hash [released-version-edited]"))
        // The commit of the lock has another model than the lock.
        try repository.commit()
        #expect(check().contains("has a different hash [released-version-edited]"))
    }

    @Test func swiftSourcesAreComparedToo() throws {
        func write(_ type: String) throws {
            try repository.write(
                "@Model class Book {\n    var title = \"\"\n    var year: \(type) = 0\n}\n", to: "Book.swift")
        }
        try write("Int")
        let lock = ["Book.swift", "--release", "Schema"]
        #expect(repository.run { LockUpdateCommand.runProgram(lock, in: $0) }.code == .success)
        try repository.commit()
        try write("Double")
        try repository.commit()
        let result = repository.run { LockCheckCommand.runProgram(["Book.swift"], in: $0) }
        #expect(result.errorOutput.contains("has a different hash: “year” (type)"))
        #expect(result.errorOutput.contains("Book.swift:3:9: “year”: type: Integer 64 → Double"))
    }
}
