import Foundation
import TestSupport

/// Random changes of files, reproducible from a seed.
struct Mutation {
    /// SplitMix64: the same seed gives the same mutations everywhere.

    private static let pieces = [
        "<", ">", "/>", "\"", "'", "&", "&amp;", "&#0;", "&e;", "<!--", "-->", "<![CDATA[", "]]>", "<?", "?>", "=",
        "<entity name=\"Z\">", "</entity>", "</model>", "<model>", "\n<<<<<<< a\n", "\n=======\n", "\n>>>>>>> b\n",
        "\u{0}",
        "\u{FEFF}", "😁", "xmlns:a=\"b\" ", "a:", "optional=\"maybe\" ", "<!DOCTYPE", "%p;", "\r", "\t",
    ].map { Array($0.utf8) }

    static func mutate(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            guard !bytes.isEmpty else { return bytes }
            let location = Int.random(in: 0..<bytes.count, using: &random)
            let end = min(bytes.count, location + Int.random(in: 0...40, using: &random))
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes[location] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.removeSubrange(location..<end)
            case 2: bytes.insert(contentsOf: bytes[location..<end], at: location)
            case 3: bytes.removeSubrange(location...)
            case 4: bytes.insert(contentsOf: Self.pieces.randomElement(using: &random) ?? [], at: location)
            default: bytes.swapAt(location, Int.random(in: 0..<bytes.count, using: &random))
            }
        }
        return bytes
    }

    /// The time at which a fuzz test stops.
    static var deadline: Date {
        let seconds = ProcessInfo.processInfo.environment["MODELC_FUZZ_SECONDS"].flatMap(Double.init) ?? 2
        return Date().addingTimeInterval(seconds)
    }
}
