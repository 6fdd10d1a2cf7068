internal import ModelEditor

/// An entry in the journal of a store. Unsaved objects have the names that `create` gave them.
enum StoreJournalEntry: JournalEntry {
    /// An edit, with the versions of the stored objects that it changed, by URI.
    case edit(StoreEdit, versions: [String: Int]?)
    case undo
    case redo
    /// The edits so far are about to be saved. They are if the store has the new object.
    case saving(newObject: String)

    package var role: JournalRole {
        switch self {
        case .edit: .edit
        case .undo: .undo
        case .redo: .redo
        case .saving: .state
        }
    }
}
