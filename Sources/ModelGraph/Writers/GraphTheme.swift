/// The colors of a picture.
package enum GraphTheme: String, CaseIterable, Sendable {
    /// Light, or dark where the viewer asks for it (`prefers-color-scheme`).
    case auto
    /// Dark text on white.
    case light
    /// Light text on a dark ground, for viewers that do not say what they prefer.
    case dark
}
