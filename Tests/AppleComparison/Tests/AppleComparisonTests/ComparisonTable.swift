import Foundation

/// The results of the checks, printed as one table when the tests end.
final class ComparisonTable: @unchecked Sendable {
    static let shared = ComparisonTable()

    private let lock = NSLock()
    private var rows: [(check: String, result: String)] = []

    private init() {
        atexit { ComparisonTable.shared.print() }
    }

    /// Runs a check and records its result; what it throws is a difference.
    func record(_ check: String, _ body: () throws -> Void) throws {
        do {
            try body()
            add(check, "equal")
        } catch let skip as Skip {
            add(check, "not run: \(skip.reason)")
        } catch {
            add(check, "DIFFERENT: \(error)")
            throw error
        }
    }

    private func add(_ check: String, _ result: String) {
        lock.lock()
        defer { lock.unlock() }
        rows.append((check, result))
    }

    private func print() {
        lock.lock()
        defer { lock.unlock() }
        #if canImport(Darwin)
        let framework = "Apple's Core Data"
        #else
        let framework = "modelc's own runtime, which says nothing about Apple's"
        #endif
        let system = ProcessInfo.processInfo.operatingSystemVersionString
        Swift.print("\nComparison with \(framework) on \(system)\n")
        let width = rows.map(\.check.count).max() ?? 0
        for row in rows.sorted(by: { $0.check < $1.check }) {
            Swift.print(row.check.padding(toLength: width, withPad: " ", startingAt: 0) + "  " + row.result)
        }
    }
}

/// A check that cannot run on this machine.
struct Skip: Error {
    var reason: String
}

/// A difference between what was found and what was expected.
struct Difference: Error, CustomStringConvertible {
    var description: String

    /// Throws the first different line of two texts.
    static func check(_ found: String, _ expected: String) throws {
        guard found != expected else { return }
        let (lines, others) = (found.components(separatedBy: "\n"), expected.components(separatedBy: "\n"))
        let index = zip(lines, others).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        guard let index else {
            throw Difference(description: "\(lines.count) lines instead of \(others.count)")
        }
        throw Difference(description: "line \(index + 1) is “\(lines[index])” instead of “\(others[index])”")
    }
}
