public import Foundation

/// The cover of a story: a custom class stored as an archive.
///
/// It is immutable: Core Data notices when a transformable attribute is set to another object, not when the object
/// changes.
public final class Cover: NSObject, NSSecureCoding {
    /// The color of the paper.
    public let color: Color
    /// The text printed on it.
    public let motto: String
    /// The font size, in points.
    public let fontSize: Double

    /// The colors of paper.
    public enum Color: String, Sendable {
        case cream, mint, rose
    }

    /// Creates a cover.
    public init(_ color: Color, motto: String, fontSize: Double = 14) {
        self.color = color
        self.motto = motto
        self.fontSize = fontSize
        super.init()
    }

    // MARK: Archives

    /// Returns `true`, since decoding specifies the class of each object.
    public static var supportsSecureCoding: Bool { true }

    /// Writes the cover to an archive.
    public func encode(with coder: NSCoder) {
        coder.encode(color.rawValue as NSString, forKey: "color")
        coder.encode(motto as NSString, forKey: "motto")
        coder.encode(fontSize, forKey: "fontSize")
    }

    /// Reads a cover from an archive. Returns `nil` if the archive does not contain one.
    public required init?(coder: NSCoder) {
        guard let name = coder.decodeObject(of: NSString.self, forKey: "color") as String?,
            let color = Color(rawValue: name),
            let motto = coder.decodeObject(of: NSString.self, forKey: "motto") as String?
        else { return nil }
        self.color = color
        self.motto = motto
        fontSize = coder.decodeDouble(forKey: "fontSize")
        super.init()
    }

    // MARK: Comparing

    /// Returns whether the other cover looks the same.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? Cover else { return false }
        return color == other.color && motto == other.motto && fontSize == other.fontSize
    }

    /// A hash of values that `isEqual(_:)` compares.
    public override var hash: Int { motto.hashValue ^ color.hashValue }

    /// A textual description of the cover.
    public override var description: String { "\(color.rawValue), “\(motto)” in \(Int(fontSize)) points" }
}
