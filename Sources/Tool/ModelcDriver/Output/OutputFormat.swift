/// The format of a command's output.
package enum OutputFormat: String, CaseIterable, Sendable {
    /// Human-readable text.
    case text
    /// JSON, for programs.
    case json
}
