internal import CompiledModel
package import Foundation
internal import RuntimeSupport

/// Values that are equal in two runs, so that both write the same SQLite store: its identifier, the names of its files
/// and the current date.
///
/// An option of `addPersistentStore` under the key `option`, for `modelc-store`.
package final class StoreReproduction: Sendable {
    /// The key of the option.
    package static let option = "ModelcStoreReproduction"

    let identifier: String
    let makeFileName: @Sendable () -> UUID
    private let date: TimeInterval

    /// Creates the option.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of a new store.
    ///   - date: The current date, in seconds since 2001-01-01 00:00 UTC.
    ///   - makeFileName: Returns the name of the next file for a large value.
    package init(identifier: UUID, date: TimeInterval, makeFileName: @escaping @Sendable () -> UUID) {
        self.identifier = identifier.uuidString
        self.date = date
        self.makeFileName = makeFileName
    }

    /// Runs a body with the date of this option as the current date.
    package func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        try CurrentDate.$fixed.withValue(date, operation: body)
    }

    /// Returns an archive with sorted keys while `run` executes, because Foundation's archiver writes them in a
    /// different order each time.
    static func ordered(_ archive: Data) -> Data {
        guard CurrentDate.fixed != nil, let list = try? PropertyListValue(binary: [UInt8](archive)) else {
            return archive
        }
        return Data(sorted(list).binaryBytes())
    }

    private static func sorted(_ value: PropertyListValue) -> PropertyListValue {
        switch value {
        case .array(let values): .array(values.map(sorted))
        case .dictionary(let entries):
            .dictionary(
                entries.map { PropertyListValue.Entry($0.key, sorted($0.value)) }
                    .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) })
        default: value
        }
    }
}
