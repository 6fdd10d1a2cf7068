#if canImport(UIKit)
import UIKit

final class EntryCell: UITableViewCell {
    func show(_ entry: Entry) { textLabel?.text = entry.title }
}
#endif
