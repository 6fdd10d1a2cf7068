/// A finding of the linter, as the page shows it.
package struct EditorFinding: Codable, Sendable {
    package struct Fix: Codable, Sendable {
        /// The effect of the fix.
        package var title: String
        /// Whether it changes neither version hashes nor the behavior of the app.
        package var isSafe: Bool
    }

    /// `error`, `warning` or `note`.
    package var severity: String
    package var rule: String
    /// The problem.
    package var message: String
    /// Why it matters.
    package var why: String?
    /// What to do about it.
    package var help: String?
    /// The names from the entity down to the element.
    package var element: [String]
    /// The kind of element, in words.
    package var kind: String
    /// The line in the file.
    package var line: Int?
    package var fixes: [Fix]
}

/// The version hash of an entity.
package struct EditorHash: Codable, Sendable {
    package var entity: String
    /// The hash, in hexadecimal; `nil` if the model has errors that prevent it.
    package var hash: String?
    /// Whether it differs from the hash in the saved file.
    package var isChanged: Bool
}

/// A generated file.
package struct EditorCode: Codable, Sendable {
    /// The file's name.
    package var name: String
    /// The file's text.
    package var text: String
}

/// A comparison with another state of the model.
package struct EditorComparison: Codable, Sendable {
    /// An obstacle or risk.
    package struct Remark: Codable, Sendable {
        /// The element, as `Entity.property`.
        package var element: String
        /// The reason, continuing the element's name.
        package var reason: String
        /// What to do about it.
        package var help: String?
    }

    /// The difference as `modelc diff` prints it.
    package var text: String
    /// The result for stores of the old state, in one sentence.
    package var verdict: String
    /// Whether a store can be opened, with or without migration.
    package var isMigratable: Bool
    /// Whether lightweight migration drops rows or values, if a store has any.
    package var losesValues: Bool
    /// The changes that lightweight migration cannot infer.
    package var obstacles: [Remark]
    /// The effects of the migration that may be unintended.
    package var risks: [Remark]
}
