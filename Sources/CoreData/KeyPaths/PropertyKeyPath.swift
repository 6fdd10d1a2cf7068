internal import Foundation

/// Finds the properties that a Swift key path leads along: `\Book.author?.name` is `author.name`.
///
/// Without Objective-C a key path knows the code that it calls, but no names. So it is followed on an object that is none
/// (`KeyRecorder`) and writes down what it is asked for. Generated accessors need no model for that; in those written by hand
/// that call `value(forKey:)`, only the model says to which class a relationship leads.
///
/// A computed property stands for the one property that it reads, if it reads but one.
enum PropertyKeyPath {
    /// Guarded by its lock.
    private final class Known: @unchecked Sendable {
        let lock = NSLock()
        var strings: [AnyKeyPath: String] = [:]
    }

    private static let known = Known()

    /// The dotted key path of a Swift key path; nil if it does not lead along properties.
    static func string(of keyPath: AnyKeyPath) -> String? {
        if let string = known.lock.withLock({ known.strings[keyPath] }) { return string }
        guard let objectClass = type(of: keyPath).rootType as? NSManagedObject.Type else { return nil }
        let depth = depth(of: keyPath)
        guard depth > 0 else { return "self" }
        let keys = KeyRecorder().keys(along: keyPath, objectClass)
        guard keys.count == depth else { return nil }
        let string = keys.joined(separator: ".")
        known.lock.withLock { known.strings[keyPath] = string }
        return string
    }

    /// The dotted key path of a Swift key path; none stops the program.
    static func requiredString(of keyPath: AnyKeyPath) -> String {
        if let string = string(of: keyPath) { return string }
        misuse(
            "NSInvalidArgumentException",
            "Could not extract a String from KeyPath \(keyPath): it must lead to an attribute, over to-one relationships. If the "
                + "class has accessors of its own, its model must have been given to a coordinator or container before")
    }

    /// The number of properties on the way: the dots of the description that are in no brackets, as in
    /// `\Book.<computed 0x… (Optional<Author>)>?.<computed 0x… (Optional<String>)>`.
    private static func depth(of keyPath: AnyKeyPath) -> Int {
        var brackets = 0
        var dots = 0
        let text = String(reflecting: keyPath)
        if text.hasSuffix(".self") { return 0 }
        for character in text.utf8 {
            switch character {
            case UInt8(ascii: "<"), UInt8(ascii: "("): brackets += 1
            case UInt8(ascii: ">"), UInt8(ascii: ")"): brackets -= 1
            case UInt8(ascii: ".") where brackets == 0: dots += 1
            default: break
            }
        }
        return dots
    }
}
