internal import Foundation

/// A store whose database executes fetches, as far as SQL can express them.
package protocol SearchableStore: DatabaseStore {
    /// What the database returns for a statement: a statement to step through, or all rows.
    associatedtype Answer
    /// Creates rows from what the database returns.
    associatedtype Reader

    /// Returns the reader for the rows of an entity and its descendants.
    func reader(below entity: Entity) -> Reader

    /// Returns the columns that a reader needs.
    func columns(_ reader: Reader, alias: String) -> String

    /// Returns the integer that a statement has selected.
    func integer(_ answer: Answer) throws -> Int

    /// Returns the IDs of the keys and entity numbers that a statement has selected.
    func ids(_ answer: Answer, of entity: FetchEntity) throws -> [NSManagedObjectID]

    /// Returns the IDs of the rows that a statement has selected, and caches their values.
    func ids(_ answer: Answer, _ reader: Reader) throws -> [NSManagedObjectID]

    /// Returns the rows that a statement has selected, whose values are cached when they are read.
    func rows(_ answer: Answer, _ reader: Reader) -> FetchedRows

    /// Returns the dictionaries that a statement has selected.
    func dictionaries(_ answer: Answer, of query: DictionaryQuery) throws -> [NSDictionary]
}
