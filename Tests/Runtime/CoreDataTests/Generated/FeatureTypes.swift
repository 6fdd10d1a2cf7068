import CoreData

// The types named in Features.xcdatamodeld.

enum FeatureGenre: String {
    case novel, poem
}

enum FeatureMood: String {
    case glad, unclear
}

struct FeatureMarks: OptionSet {
    let rawValue: Int
    static let lent = FeatureMarks(rawValue: 1)
    static let torn = FeatureMarks(rawValue: 2)
}

struct FeatureSize: Codable, Hashable {
    var width: Double
    var height: Double
}

struct FeatureWeight: RawRepresentable, Hashable {
    var rawValue: Float

    init?(rawValue: Float) {
        guard rawValue >= 0 else { return nil }
        self.rawValue = rawValue
    }
}

extension FeatureWork {
    enum Format: UInt8 {
        case print = 1
        case audio
    }
}
