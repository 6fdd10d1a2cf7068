import CoreData
import UIKit

// Xcode generates the class.
extension Entry {
    public override func awakeFromInsert() {
        super.awakeFromInsert()
        setPrimitiveValue(Date(timeIntervalSinceReferenceDate: startOfTime), forKey: #keyPath(Entry.created))
    }

    override public func willSave() {
        super.willSave()
        guard let text = text, text != text.trimmingCharacters(in: .whitespaces) else { return }
        setPrimitiveValue(text.trimmingCharacters(in: .whitespaces), forKey: "\(#keyPath(Entry.text))")
    }

    @objc override public var description: String { "Entry: \(text ?? "-")" }
}

private let startOfTime: TimeInterval = 0
