/// The names of Xcode versions that write the same code as an earlier one.
enum XcodeName {
    /// Returns the number in `xcodeNN`, or `nil` for any other text.
    static func number(_ name: String) -> Int? {
        guard name.hasPrefix("xcode") else { return nil }
        let digits = name.dropFirst(5)
        guard !digits.isEmpty, digits.first != "0", digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        return Int(digits)
    }
}

extension CodeStyle {
    /// Creates the style that a version of Xcode writes (Documentation/Formats/XcodeSwift.md, 7); `nil` for a version
    /// that does not exist.
    ///
    /// - Parameter name: The name of a style, or `xcode` and the version's number, such as `xcode15`.
    package init?(xcode name: String) {
        if let style = CodeStyle(rawValue: name) {
            self = style
            return
        }
        switch XcodeName.number(name) {
        case 10: self = .xcode9
        case 13, 14, 15, 16: self = .xcode12
        default: return nil
        }
    }
}

extension ObjectiveCStyle {
    /// Creates the style that a version of Xcode writes (Documentation/Formats/XcodeObjectiveC.md); `nil` for a version
    /// that does not exist.
    ///
    /// - Parameter name: The name of a style, or `xcode` and the version's number, such as `xcode15`.
    package init?(xcode name: String) {
        if let style = ObjectiveCStyle(rawValue: name) {
            self = style
            return
        }
        switch XcodeName.number(name) {
        case 10, 11, 12: self = .xcode9_3
        case 14, 15, 16, 26, 27: self = .xcode13
        default: return nil
        }
    }
}
