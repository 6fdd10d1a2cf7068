/// Returns the first location at which two values of the same type differ, with both sides, or `nil` if they are equal.
func firstDifference(_ first: Any, _ second: Any, at path: String = "") -> String? {
    let left = Mirror(reflecting: first)
    let right = Mirror(reflecting: second)
    let leftChildren = Array(left.children)
    let rightChildren = Array(right.children)
    guard !leftChildren.isEmpty, leftChildren.count == rightChildren.count else {
        let texts = (String(describing: first), String(describing: second))
        return texts.0 == texts.1 ? nil : "\(path): \(texts.0) against \(texts.1)"
    }
    for (number, pair) in zip(leftChildren, rightChildren).enumerated() {
        let step = pair.0.label ?? "[\(number)]"
        if let found = firstDifference(pair.0.value, pair.1.value, at: path + "." + step) { return found }
    }
    return nil
}
