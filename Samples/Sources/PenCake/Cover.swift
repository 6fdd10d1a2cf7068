public import Foundation

/// The cover of a story: a class of the app's own that the store keeps as an archive.
///
/// It never changes: Core Data notices that a transformable attribute got another object, not what happens inside of one.
public final class Cover: NSObject, NSSecureCoding {
    /// The color of the paper.
    public let color: Color
    /// What is printed on it.
    public let motto: String
    /// How large, in points.
    public let fontSize: Double

    /// The paper there is.
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

    /// True: an archive says of each object which class it must have.
    public static var supportsSecureCoding: Bool { true }

    /// Writes the cover to an archive.
    public func encode(with coder: NSCoder) {
        coder.encode(color.rawValue as NSString, forKey: "color")
        coder.encode(motto as NSString, forKey: "motto")
        coder.encode(fontSize, forKey: "fontSize")
    }

    /// Reads a cover from an archive; nil when it has none.
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

    /// Whether the other looks alike.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? Cover else { return false }
        return color == other.color && motto == other.motto && fontSize == other.fontSize
    }

    /// Of what `isEqual` compares.
    public override var hash: Int { motto.hashValue ^ color.hashValue }

    /// The cover in words.
    public override var description: String { "\(color.rawValue), “\(motto)” in \(Int(fontSize)) points" }
}
