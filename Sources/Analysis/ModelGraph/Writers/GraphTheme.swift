/// The colors of a picture.
package enum GraphTheme: String, CaseIterable, Sendable {
    /// Light, or dark if the viewer requests it (`prefers-color-scheme`).
    case auto
    /// Dark text on white.
    case light
    /// Light text on a dark background, for viewers that do not state a preference.
    case dark
}
