internal import Diagnostics

/// Suggests entity names for the first few unknown names of a model, so that the time does not grow with the product of
/// entities and errors.
struct EntityNameGuess {
    private let names: [String]
    private var remaining = 20

    init(_ names: [String]) {
        self.names = names
    }

    /// Returns the closest name, or `nil` if none is close or the limit of suggestions is reached.
    mutating func closest(to name: String) -> String? {
        guard remaining > 0 else { return nil }
        remaining -= 1
        return EditDistance.closest(to: name, among: names)
    }
}
