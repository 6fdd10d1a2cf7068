internal import CompiledModel
package import Foundation

/// What makes two runs write the same SQLite store, byte for byte: its identifier, the names of
/// its files and the current date are given.
///
/// An option of `addPersistentStore` under the key `option`, for `modelc-store`.
package final class StoreReproduction: Sendable {
    /// The key of the option.
    package static let option = "ModelcStoreReproduction"

    /// The date that `now()` returns in derived attributes; `nil` for the system's clock.
    @TaskLocal private static var fixedDate: TimeInterval?

    let identifier: String
    let makeFileName: @Sendable () -> UUID
    private let date: TimeInterval

    /// Creates the option.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of a new store, a UUID.
    ///   - date: The current date, in seconds since 2001-01-01 00:00 UTC.
    ///   - makeFileName: Returns the name of the next file for a large value.
    package init(identifier: UUID, date: TimeInterval, makeFileName: @escaping @Sendable () -> UUID) {
        self.identifier = identifier.uuidString
        self.date = date
        self.makeFileName = makeFileName
    }

    /// Runs a body during which `now()` returns the date of this option.
    package func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        try Self.$fixedDate.withValue(date, operation: body)
    }

    /// Returns an archive with sorted keys while a body runs: Foundation's archiver writes them in another order each time.
    static func ordered(_ archive: Data) -> Data {
        guard fixedDate != nil, let list = try? PropertyListValue(binary: [UInt8](archive)) else { return archive }
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

    /// The current date in predicates and derived attributes, in seconds since 2001-01-01 00:00 UTC.
    static var now: TimeInterval { fixedDate ?? Date().timeIntervalSinceReferenceDate }
}
