/// What a store holds of an object: its attributes and to-one relationships, by slot.
///
/// Immutable and thread-safe: the values of a row have no references to objects of a context.
@usableFromInline
final class Row: @unchecked Sendable {
    /// The values by slot; slots that are in no row are null.
    let values: [SlotValue]
    /// Counts the times that the row was written, from 1.
    let version: Int

    init(values: [SlotValue], version: Int) {
        self.values = values
        self.version = version
    }
}
