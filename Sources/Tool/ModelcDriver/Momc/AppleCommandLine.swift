/// The command line of one of Apple's compilers, `momc` or `mapc`: options and two paths.
struct AppleCommandLine {
    /// An invalid command line.
    struct InvalidArguments: Error {
        var message: String
    }

    private var rest: ArraySlice<String>
    /// The option that was read last, and its value if the two are joined by an equals sign.
    private var option = ""
    private var attachedValue: String?
    private var paths: [String] = []

    /// - Parameter arguments: The arguments without the program's name.
    init(_ arguments: [String]) {
        rest = arguments[...]
    }

    /// Returns the next option, or `nil` after the last one.
    mutating func nextOption() -> String? {
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("-") else {
                paths.append(argument)
                continue
            }
            // The forms `--option value` and `--option=value` are both in use.
            let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
            option = parts[0]
            attachedValue = parts.count == 2 ? parts[1] : nil
            return option
        }
        return nil
    }

    @discardableResult
    mutating func value() throws(InvalidArguments) -> String {
        if let attachedValue { return attachedValue }
        guard let next = rest.popFirst() else { throw InvalidArguments(message: "\(option) needs a value") }
        return next
    }

    /// Accepts an option without effect here: deployment targets, and definitions for Apple's compiler.
    mutating func ignore(definitions: String) throws(InvalidArguments) {
        if option.hasPrefix("--"), option.hasSuffix("-deployment-target") {
            try value()
        } else if !option.hasPrefix(definitions) {
            throw InvalidArguments(message: "unknown option \(option)")
        }
    }

    /// Returns the two paths. All options must have been read.
    func inputAndOutput(usage: String) throws(InvalidArguments) -> (input: String, output: String) {
        guard paths.count == 2 else { throw InvalidArguments(message: "usage: \(usage)") }
        return (paths[0], paths[1])
    }
}
