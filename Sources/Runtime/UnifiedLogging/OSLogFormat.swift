internal import Foundation

/// Formats of `os_log`: `%{public}@`, `%d`, `%.2f`.
enum OSLogFormat {
    /// Returns a message with its arguments. Strings and objects are hidden unless they are `%{public}`; missing
    /// arguments are `<decode: missing data>`, as in Apple's log.
    static func text(_ format: String, _ arguments: [Any?], showsPrivate: Bool) -> String {
        var result = ""
        var rest = Substring(format)
        var arguments = arguments[...]
        while let percent = rest.firstIndex(of: "%") {
            result += rest[..<percent]
            rest = rest[percent...].dropFirst()
            if rest.first == "%" {
                result += "%"
                rest = rest.dropFirst()
                continue
            }
            var annotations = ""
            if rest.first == "{", let end = rest.firstIndex(of: "}") {
                annotations = String(rest[rest.index(after: rest.startIndex)..<end])
                rest = rest[end...].dropFirst()
            }
            guard let end = rest.firstIndex(where: { !"-+ #0123456789.*hlLqjzt".contains($0) }),
                "@dDiuUxXoOfFeEgGaAcCsSpm".contains(rest[end])
            else { return result + "%" + rest }
            var specifier = String(rest[...end])
            rest = rest[end...].dropFirst()
            if specifier.hasSuffix("m") {
                result += String(cString: strerror(errno))
                continue
            }
            while let star = specifier.firstIndex(of: "*") {
                let number = (arguments.popFirst() ?? nil) as? any BinaryInteger
                specifier.replaceSubrange(star...star, with: number.map { "\($0)" } ?? "0")
            }
            guard let argument = arguments.popFirst() else {
                result += "<decode: missing data>"
                continue
            }
            result += value(argument, specifier, annotations, showsPrivate: showsPrivate)
        }
        return result + rest
    }

    private static func value(
        _ argument: Any?, _ specifier: String, _ annotations: String, showsPrivate: Bool
    ) -> String {
        let isText = specifier.hasSuffix("@") || specifier.lowercased().hasSuffix("s")
        let words = annotations.split(separator: ",").map { $0.drop { $0 == " " } }
        let isPrivate = words.contains("private") || words.contains("sensitive") || isText && !words.contains("public")
        if isPrivate && !showsPrivate { return "<private>" }
        guard let argument else { return isText ? "(null)" : "0" }
        if "fFeEgGaA".contains(specifier.last ?? " "), let number = double(argument) {
            let options = specifier.dropLast().filter { $0 != "l" && $0 != "L" }
            return String(format: "%\(options)\(specifier.last ?? "f")", number)
        }
        if "xX".contains(specifier.last ?? " "), let number = argument as? any BinaryInteger {
            let digits = String(number, radix: 16, uppercase: specifier.hasSuffix("X"))
            let width = specifier.filter(\.isNumber)
            guard width.first == "0", let count = Int(width), digits.count < count, count <= 64 else { return digits }
            return String(repeating: "0", count: count - digits.count) + digits
        }
        return "\(argument)"
    }

    private static func double(_ value: Any) -> Double? {
        switch value {
        case let value as Double: value
        case let value as Float: Double(value)
        case let value as NSNumber: value.doubleValue
        default: nil
        }
    }
}
