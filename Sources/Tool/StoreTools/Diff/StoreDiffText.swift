internal import Diagnostics

/// A difference between stores as human-readable text.
struct StoreDiffText {
    /// The maximum number of objects that are printed.
    private static let limit = 1000

    let difference: StoreDifference

    var text: String {
        var lines: [String] = []
        var entity: String?
        for change in difference.objects.prefix(Self.limit) {
            if change.entity != entity {
                lines.append("\(change.entity)")
                entity = change.entity
            }
            let mark = [StoreDifference.ObjectChange.Kind.removed: "-", .added: "+"][change.kind] ?? "~"
            lines.append("  \(mark) \(change.key)")
            for value in change.values { lines.append("      \(value.property): \(value.old) → \(value.new)") }
        }
        if difference.objects.count > Self.limit {
            let rest = counted(difference.objects.count - Self.limit, "more object")
            lines.append("… and \(rest); --format json lists all")
        }
        for name in difference.removedEntities { lines.append("entity “\(name)” is only in the first model") }
        for name in difference.addedEntities { lines.append("entity “\(name)” is only in the second model") }
        for name in difference.removedProperties { lines.append("“\(name)” is only in the first model: not compared") }
        for name in difference.addedProperties { lines.append("“\(name)” is only in the second model: not compared") }
        lines.append(summary)
        return lines.joined(separator: "\n") + "\n"
    }

    private var summary: String {
        func count(_ kind: StoreDifference.ObjectChange.Kind) -> Int { difference.objects.count { $0.kind == kind } }
        if difference.isEmpty { return "The stores are equal: \(counted(difference.equalCount, "object"))." }
        return "\(count(.removed)) removed, \(count(.added)) added, \(count(.changed)) changed, "
            + "\(difference.equalCount) equal"
    }
}
