/// Stops the program because Core Data's API was used as it must not be, where Apple's framework raises an exception.
///
/// Exceptions do not exist on Linux; the text is the same as an exception's reason, with what to do about it.
func misuse(
    _ name: String, _ reason: String, file: StaticString = #fileID, line: UInt = #line
) -> Never {
    fatalError("*** \(name): \(reason)", file: file, line: line)
}

/// Stops the program because an object was used in a state in which it cannot be used.
func misuse(_ reason: String, file: StaticString = #fileID, line: UInt = #line) -> Never {
    misuse("NSInternalInconsistencyException", reason, file: file, line: line)
}

/// Stops the program because a subclass does not override what it must.
func abstractMethod(_ object: AnyObject, _ method: String, file: StaticString = #fileID, line: UInt = #line) -> Never {
    misuse(
        "NSInvalidArgumentException",
        "\(method) is only defined for an abstract class. Define it in \(type(of: object))!", file: file, line: line)
}
