public import Foundation

/// An error of SwiftData. Catch a kind of error with `catch SwiftDataError.unsupportedPredicate`.
public struct SwiftDataError: Error, Hashable, CustomDebugStringConvertible, LocalizedError {
    enum Kind: String {
        case unsupportedPredicate, unsupportedSortDescriptor, unsupportedKeyPath, includePendingChangesWithBatchSize
        case sortingPendingChangesWithIdentifiers, missingModelContext, modelValidationFailure, unknownSchema
        case backwardMigration, loadIssueModelContainer, duplicateConfiguration, configurationFileNameTooLong
        case configurationFileNameContainsInvalidCharacters, configurationSchemaNotFoundInContainerSchema
        case historyTokenExpired, invalidTransactionFetchRequest
    }

    let _error: Kind
    let _explanation: String?
    /// The error that caused this one, such as a Cocoa error of a store.
    public let underlyingError: (any Error)?

    init(_ error: Kind, _ explanation: String? = nil, cause: (any Error)? = nil) {
        _error = error
        _explanation = explanation
        underlyingError = cause
    }

    /// A predicate has no equivalent in the store.
    public static let unsupportedPredicate = SwiftDataError(.unsupportedPredicate)
    /// A sort descriptor has no equivalent in the store.
    public static let unsupportedSortDescriptor = SwiftDataError(.unsupportedSortDescriptor)
    /// A key path does not lead to a persistent property.
    public static let unsupportedKeyPath = SwiftDataError(.unsupportedKeyPath)
    /// A fetch in batches cannot include unsaved changes.
    public static let includePendingChangesWithBatchSize = SwiftDataError(.includePendingChangesWithBatchSize)
    /// Identifiers cannot be sorted together with unsaved changes.
    public static let sortingPendingChangesWithIdentifiers = SwiftDataError(.sortingPendingChangesWithIdentifiers)
    /// A model is in no context.
    public static let missingModelContext = SwiftDataError(.missingModelContext)
    /// A model is not valid.
    public static let modelValidationFailure = SwiftDataError(.modelValidationFailure)
    /// A class or store is not part of a schema.
    public static let unknownSchema = SwiftDataError(.unknownSchema)
    /// The store was written by a newer version of the schema.
    public static let backwardMigration = SwiftDataError(.backwardMigration)
    /// A container's stores could not be opened.
    public static let loadIssueModelContainer = SwiftDataError(.loadIssueModelContainer)
    /// Two configurations have the same name or file.
    public static let duplicateConfiguration = SwiftDataError(.duplicateConfiguration)
    /// The name of a configuration is too long for a file.
    public static let configurationFileNameTooLong = SwiftDataError(.configurationFileNameTooLong)
    /// The name of a configuration has characters that a file name cannot have.
    public static let configurationFileNameContainsInvalidCharacters = SwiftDataError(
        .configurationFileNameContainsInvalidCharacters)
    /// The schema of a configuration has an entity that the container's does not have.
    public static let configurationSchemaNotFoundInContainerSchema = SwiftDataError(
        .configurationSchemaNotFoundInContainerSchema)
    /// The transactions after a history token were deleted.
    public static let historyTokenExpired = SwiftDataError(.historyTokenExpired)
    /// A request for transactions is not valid.
    public static let invalidTransactionFetchRequest = SwiftDataError(.invalidTransactionFetchRequest)

    /// Returns whether two errors are of the same kind.
    public static func == (lhs: SwiftDataError, rhs: SwiftDataError) -> Bool { lhs._error == rhs._error }
    /// Hashes the kind.
    public func hash(into hasher: inout Hasher) { hasher.combine(_error) }
    /// Returns whether an error is of a kind.
    public static func ~= (lhs: SwiftDataError, rhs: any Error) -> Bool { (rhs as? SwiftDataError) == lhs }

    /// The kind, the reason and the cause.
    public var debugDescription: String {
        "SwiftDataError(_error: \(_error), _explanation: \(_explanation ?? "nil")"
            + (underlyingError.map { ", underlyingError: \($0)" } ?? "") + ")"
    }

    /// The reason.
    public var errorDescription: String? { debugDescription }
}
