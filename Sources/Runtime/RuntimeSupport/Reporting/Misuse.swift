/// Traps because Core Data's API was misused, where Apple's framework raises an exception.
///
/// Exceptions do not exist on Linux. The message is the reason of the exception, followed by advice on how to fix the
/// problem.
public func misuse(
    _ name: String, _ reason: String, file: StaticString = #fileID, line: UInt = #line
) -> Never {
    fatalError("*** \(name): \(reason)", file: file, line: line)
}

/// Traps because an object was used in a state that does not allow it.
public func misuse(_ reason: String, file: StaticString = #fileID, line: UInt = #line) -> Never {
    misuse("NSInternalInconsistencyException", reason, file: file, line: line)
}

/// Traps because a subclass does not override a required method.
public func abstractMethod(
    _ object: AnyObject, _ method: String, file: StaticString = #fileID, line: UInt = #line
) -> Never {
    misuse(
        "NSInvalidArgumentException",
        "\(method) is only defined for an abstract class. Define it in \(type(of: object))!", file: file, line: line)
}
