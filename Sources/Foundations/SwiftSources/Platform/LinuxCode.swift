/// A filter for the parts of a source file that are compiled on Linux.
package enum LinuxCode {
    /// Returns the tokens that are compiled on Linux, without the conditions of `#if`.
    ///
    /// If an `#if` depends on unknown flags, all its branches are included.
    package static func tokens(in bytes: [UInt8]) -> [SwiftToken] {
        ConditionalCode.compiled(SwiftLexer.tokens(in: bytes), in: .linux)
    }
}
