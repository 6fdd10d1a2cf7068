package import StoreFile

/// The objects of a list, and their order.
package struct ListQuery: Codable, Hashable, Sendable {
    /// The destinations of a to-many relationship.
    package struct Scope: Codable, Hashable, Sendable {
        /// The URI of the object that has the relationship.
        package var object: String
        /// The name of the relationship.
        package var relationship: String

        /// Creates a scope.
        package init(object: String, relationship: String) {
            self.object = object
            self.relationship = relationship
        }
    }

    /// A column that is sorted by.
    package struct SortKey: Codable, Hashable, Sendable {
        /// The name of an attribute or to-one relationship, or the key path to an element of a composite attribute.
        package var key: String
        /// Whether large values come first.
        package var isDescending: Bool?

        /// Creates a sort key.
        package init(_ key: String, isDescending: Bool = false) {
            self.key = key
            self.isDescending = isDescending
        }
    }

    /// The name of the entity.
    package var entity: String
    /// A predicate in `NSPredicate`'s format; `nil` for all objects.
    package var predicate: String?
    /// The columns that are sorted by, the most significant first; `nil` for the order of the primary keys.
    package var sort: [SortKey]?
    /// Restricts the list to the destinations of a relationship.
    package var scope: Scope?
    /// Restricts the list to one object, by its URI.
    package var object: String?
    /// A string that one of the entity's string attributes contains, ignoring case and accents, in place of a
    /// predicate.
    package var text: String?
    /// The primary key of an object that is listed in addition to those that the predicate or text finds; without them,
    /// it has no others.
    package var key: String?

    /// Creates a query for all objects of an entity.
    package init(
        entity: String, predicate: String? = nil, sort: [SortKey]? = nil, scope: Scope? = nil, object: String? = nil,
        text: String? = nil, key: String? = nil
    ) {
        self.text = text
        self.key = key
        self.entity = entity
        self.predicate = predicate
        self.sort = sort
        self.scope = scope
        self.object = object
    }
}

/// A request of the data browser.
package enum StoreRequest: Codable, Sendable {
    /// Returns the state and the entities.
    case open
    /// Returns the number of objects of each entity.
    case counts
    /// Checks whether the store has changed on disk.
    case poll
    /// Returns a part of a list.
    case rows(query: ListQuery, offset: Int, limit: Int)
    /// Returns the URIs of a part of a list.
    case uris(query: ListQuery, offset: Int, limit: Int)
    /// Returns the SQL of a list.
    case explain(query: ListQuery)
    /// Completions at a position of a predicate.
    case complete(entity: String, text: String, position: Int)
    /// Returns an object with all of its properties. `members` are the indexes of the first destination to return, by
    /// to-many relationship.
    case object(uri: String, members: [String: Int]? = nil)
    /// Returns a binary or transformable value as a tree or as bytes.
    case value(uri: String, key: String)
    /// Returns the history transactions before a number; `nil` for the newest ones.
    case history(before: Int64?, limit: Int)
    /// Returns what `modelc store check` finds in what is saved.
    case findings
    /// Returns the tables of a store that cannot be shown because its model is unknown.
    case tables
    /// Returns a part of the rows of a table of such a store.
    case table(name: String, offset: Int, limit: Int)
    /// Looks for models that such a store can be shown with: below the store's folder and the current one.
    case findModels
    /// Shows the store with one of the models that were found, by its index.
    case useModel(Int)
    /// Opens the store for writing.
    case enableEditing
    /// Performs an edit.
    case edit(StoreEdit)
    /// Inserts the rows of a CSV or JSON file as unsaved objects. If some values cannot be read, nothing is inserted
    /// unless their rows are skipped.
    case importRows(entity: String, format: ExportFormat, text: String, skipsInvalidRows: Bool)
    /// Undoes the last edit.
    case undo
    /// Redoes the last undone edit.
    case redo
    /// Saves all edits.
    case save
    /// Discards all edits.
    case discard
    /// Resolves the conflicts of a save by keeping the edits or the store's values.
    case resolve(keepsEdits: Bool)
    /// Repeats the edits that an earlier run did not save.
    case recover
    /// Discards the edits that an earlier run did not save.
    case forget
}

extension StoreRequest {
    /// Whether the request cannot be answered while another program has locked the store.
    package var readsStore: Bool {
        switch self {
        case .counts, .rows, .uris, .explain, .object, .value, .history, .save, .resolve, .importRows: true
        case .open, .poll, .complete, .findings, .enableEditing, .edit, .undo, .redo, .discard, .recover, .forget,
            .tables, .table, .findModels, .useModel:
            false
        }
    }

    /// Whether the request asks what is open.
    package var asksForState: Bool {
        switch self {
        case .open, .poll: true
        default: false
        }
    }

    /// Whether the request waits for a program that has locked the store: it reads the store, or may fire faults.
    package var waitsForLock: Bool {
        switch self {
        case .edit, .undo, .redo, .recover: true
        default: readsStore
        }
    }

    /// Whether the request saves edits.
    package var isSave: Bool {
        switch self {
        case .save, .resolve: true
        default: false
        }
    }

    /// Whether the request may be repeated if another program had locked the store: the failed attempt has changed
    /// nothing.
    package var isRepeatable: Bool {
        switch self {
        case .counts, .rows, .uris, .explain, .object, .value, .history, .save, .resolve, .enableEditing: true
        case .open, .poll, .complete, .findings, .edit, .importRows, .undo, .redo, .discard, .recover, .forget,
            .tables, .table, .findModels, .useModel:
            false
        }
    }
}

/// The answer to a request.
package struct StoreReply: Codable, Sendable {
    /// What is open.
    package var state: StoreState?
    /// The numbers of objects by entity.
    package var counts: [String: Int]?
    /// Rows of a list.
    package var page: RowPage?
    /// The URIs of objects.
    package var uris: [String]?
    package var sql: SQLText?
    /// Completions at a position of a predicate.
    package var completions: Completions?
    package var object: ObjectDetails?
    package var value: ValueDetails?
    /// History transactions.
    package var history: HistoryPage?
    /// Faults in the store.
    package var findings: StoreFindings?
    /// The tables of the file.
    package var tables: [RawTables.Table]?
    /// Rows of a table.
    package var cells: [[RawTables.Cell]]?
    /// The models that the store can be shown with.
    package var models: ModelSearch.Result?
    /// The URI of a new object.
    package var created: String?
    /// The index of a destination that was moved.
    package var position: Int?
    /// What was imported.
    package var imported: ImportReport?
    /// The invalid values, by object and property.
    package var invalid: [InvalidValue]?
    /// Objects that another program has changed.
    package var conflicts: [SaveConflict]?
    /// What happened, in a sentence.
    package var notice: String?
    /// The reason why the request was rejected.
    package var problem: StoreProblem?

    /// Creates an empty answer.
    package init() {}
}

/// The SQL of a list.
package struct SQLText: Codable, Sendable {
    /// The statement; `nil` if the store has no SQL.
    package var text: String?
    /// The part of the query that is evaluated in memory, in words.
    package var note: String?
}

/// What is open.
package struct StoreState: Codable, Sendable {
    /// A property of an entity.
    package struct Property: Codable, Sendable {
        package var name: String
        /// `attribute` or `relationship`.
        package var kind: String
        /// The type of an attribute, or the destination of a relationship.
        package var type: String
        /// Whether there may be no value.
        package var isOptional: Bool
        /// Whether lists can be sorted by it.
        package var isSortable: Bool
        /// What lists are sorted by if it is a to-one relationship, in words.
        package var sortNote: String?
        /// The key paths to the elements of a composite attribute that lists can be sorted by.
        package var sortFields: [String]?
        /// The elements of a composite attribute that can be edited, with their types.
        package var elements: [Element]?
        /// Whether its values can be edited.
        package var isEditable: Bool
        /// Whether it is a to-many relationship.
        package var isToMany: Bool
        /// Whether the destinations of a to-many relationship have an order.
        package var isOrdered: Bool
    }

    /// An element of a composite attribute.
    package struct Element: Codable, Sendable {
        /// The key path.
        package var name: String
        package var type: String
    }

    package struct Entity: Codable, Sendable {
        package var name: String
        /// The parent's name.
        package var parent: String?
        /// Whether the entity is abstract.
        package var isAbstract: Bool
        package var hasSubentities: Bool
        /// The properties that are shown, including inherited ones.
        package var properties: [Property]
    }

    /// The identity of the service, which differs after the studio was started again: revisions then start at 0.
    package var run: String
    /// The file name of the store.
    package var name: String
    /// The format of the store.
    package var kind: String?
    package var modelOrigin: String?
    /// Whether the studio also has a model open.
    package var hasModel: Bool
    /// Warnings about the store or the model.
    package var warnings: [String]
    /// The entities, sorted by name.
    package var entities: [Entity]
    /// The reason why the store cannot be shown.
    package var problem: StoreProblem?
    /// Whether the store is open for writing.
    package var isEditable: Bool
    /// Whether another program has locked the store; the last of `warnings` says so.
    package var isLocked: Bool
    /// Whether write access can be requested.
    package var canEnableEditing: Bool
    /// Whether there are unsaved edits.
    package var isEdited: Bool
    /// Whether there is an edit to undo.
    package var canUndo: Bool
    /// Whether there is an edit to redo.
    package var canRedo: Bool
    /// The number of edits that an earlier run did not save.
    package var recoverableCount: Int
    /// The number of changes so far, in the studio and on disk.
    package var revision: Int
    /// The size in bytes of the largest file that a value can be replaced by.
    package var byteLimit: Int
    /// The maximum number of objects that are edited or imported at once.
    package var rowLimit: Int
}
