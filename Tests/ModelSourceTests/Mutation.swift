import Foundation

/// Random changes of files, reproducible from a seed.
struct Mutation {
    /// SplitMix64: the same seed gives the same mutations everywhere.
    struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }

    private static let pieces = [
        "<", ">", "/>", "\"", "'", "&", "&amp;", "&#0;", "&e;", "<!--", "-->", "<![CDATA[", "]]>", "<?", "?>", "=",
        "<entity name=\"Z\">", "</entity>", "</model>", "<model>", "\n<<<<<<< a\n", "\n=======\n", "\n>>>>>>> b\n",
        "\u{0}",
        "\u{FEFF}", "😁", "xmlns:a=\"b\" ", "a:", "optional=\"maybe\" ", "<!DOCTYPE", "%p;", "\r", "\t",
    ].map { Array($0.utf8) }

    static func mutate(_ bytes: [UInt8], _ random: inout Generator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            guard !bytes.isEmpty else { return bytes }
            let place = Int.random(in: 0..<bytes.count, using: &random)
            let end = min(bytes.count, place + Int.random(in: 0...40, using: &random))
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.removeSubrange(place..<end)
            case 2: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 3: bytes.removeSubrange(place...)
            case 4: bytes.insert(contentsOf: Self.pieces.randomElement(using: &random) ?? [], at: place)
            default: bytes.swapAt(place, Int.random(in: 0..<bytes.count, using: &random))
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
