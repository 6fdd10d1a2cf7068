import ModelcDriver

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The program: standard streams, the environment and the exit code around `Modelc.run`.
@main
enum Main {
    static func main() {
        let allowsColor = !isSet("NO_COLOR") && value("TERM") != "dumb"
        let environment = DriverEnvironment(
            files: POSIXFileSystem(), output: { write($0, STDOUT_FILENO) }, errorOutput: { write($0, STDERR_FILENO) },
            usesColor: allowsColor && isatty(STDERR_FILENO) == 1,
            outputUsesColor: allowsColor && isatty(STDOUT_FILENO) == 1)
        var arguments = Array(CommandLine.arguments.dropFirst())
        // Under the name of Apple's compiler it is Apple's compiler.
        if CommandLine.arguments.first?.split(separator: "/").last == "momc" { arguments.insert("momc", at: 0) }
        exit(Modelc.run(arguments: arguments, in: environment).rawValue)
    }

    private static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// Set and not empty, as no-color.org defines it.
    private static func isSet(_ name: String) -> Bool { value(name)?.isEmpty == false }

    private static func write(_ text: String, _ descriptor: Int32) {
        var text = text
        text.withUTF8 { buffer in
            var rest = buffer[...]
            while let start = rest.withUnsafeBytesBase {
                let count = systemWrite(descriptor, start, rest.count)
                if count < 0, errno == EINTR { continue }
                if count <= 0 { return }
                rest = rest.dropFirst(count)
            }
        }
    }
}

private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawPointer, _ count: Int) -> Int {
    write(descriptor, buffer, count)
}

extension Slice<UnsafeBufferPointer<UInt8>> {
    /// The address of the first byte that is left, or nil when none is.
    fileprivate var withUnsafeBytesBase: UnsafeRawPointer? {
        isEmpty ? nil : base.baseAddress.map { UnsafeRawPointer($0 + startIndex) }
    }
}
