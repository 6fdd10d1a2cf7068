import CoreData

/// A delegate that shows a controller's results like a table view: it applies the reported changes to its rows.
final class TableDelegate: NSObject, NSFetchedResultsControllerDelegate {
    /// The names of the sections shown in the table.
    private(set) var names: [String] = []
    private(set) var rows: [[NSManagedObject]] = []
    /// The delegate's calls in order, with the titles of objects.
    var log: [String] = []
    /// The errors found.
    private(set) var problems: [String] = []
    /// Returns the name of an object in the log.
    var label: (NSManagedObject) -> String = {
        $0.managedObjectContext == nil ? "?" : $0.value(forKey: "title") as? String ?? "-"
    }
    /// A function called while the controller reports changes.
    var onChange: (() -> Void)?

    private var deletedSections: [Int] = []
    private var insertedSections: [(Int, String)] = []
    private var deleted: [IndexPath] = []
    private var inserted: [(IndexPath, NSManagedObject)] = []
    private var isChanging = false

    /// Takes over the results of a controller.
    func reload<T>(_ controller: NSFetchedResultsController<T>) {
        names = controller.sections?.map(\.name) ?? []
        rows = controller.sections?.map { $0.objects as? [NSManagedObject] ?? [] } ?? []
        log = []
    }

    private func check(_ condition: Bool, _ problem: @autoclosure () -> String) {
        if !condition { problems.append(problem()) }
    }

    private func text(_ path: IndexPath?) -> String { path.map { "\($0.section)/\($0.row)" } ?? "nil" }

    func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        check(!isChanging, "two changes at once")
        isChanging = true
        log.append("will")
        let old = controller.sections?.map { $0.objects as? [NSManagedObject] ?? [] } ?? []
        check(old == rows, "the controller has changed before it said so")
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: NSFetchedResultsChangeType
    ) {
        log.append("section \(type == .insert ? "+" : "-")\(sectionInfo.name) \(sectionIndex)")
        switch type {
        case .delete:
            deletedSections.append(sectionIndex)
            guard names.indices.contains(sectionIndex) else { return check(false, "no section \(sectionIndex)") }
            check(names[sectionIndex] == sectionInfo.name, "section \(sectionIndex) is not \(sectionInfo.name)")
            check(sectionInfo.numberOfObjects == 0, "\(sectionInfo.name) went and has objects")
        case .insert: insertedSections.append((sectionIndex, sectionInfo.name))
        default: check(false, "sections do not move")
        }
    }

    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {
        guard let object = anObject as? NSManagedObject else { return check(false, "no object") }
        let kind = ["?", "insert", "delete", "move", "update"][Int(type.rawValue)]
        log.append("\(kind) \(label(object)) \(text(indexPath)) \(text(newIndexPath))")
        if type != .insert {
            let exists =
                indexPath.map { $0.section < rows.count && $0.row < rows[$0.section].count } ?? false
                && indexPath.map { rows[$0.section][$0.row] === object } ?? false
            check(exists, "\(kind) \(label(object)): it was not at \(text(indexPath))")
        }
        switch (type, indexPath, newIndexPath) {
        case (.insert, nil, let new?): inserted.append((new, object))
        case (.delete, let old?, nil): deleted.append(old)
        case (.move, let old?, let new?):
            deleted.append(old)
            inserted.append((new, object))
        case (.update, _?, _?): break
        default: check(false, "\(kind) from \(text(indexPath)) to \(text(newIndexPath))")
        }
        onChange?()
    }

    /// Updates the rows like a table view: deletions by old index paths, then insertions by new ones.
    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        log.append("did")
        check(isChanging, "a change has ended that did not begin")
        isChanging = false
        for path in deleted.sorted(by: >) where problems.isEmpty { rows[path.section].remove(at: path.row) }
        check(Set(deleted).count == deleted.count, "one row was deleted twice")
        for section in deletedSections.sorted(by: >) where problems.isEmpty {
            check(rows[section].isEmpty, "section \(names[section]) went with objects that stay")
            rows.remove(at: section)
            names.remove(at: section)
        }
        for (section, name) in insertedSections.sorted(by: { $0.0 < $1.0 }) where problems.isEmpty {
            guard section <= rows.count else { return check(false, "no place for section \(section)") }
            rows.insert([], at: section)
            names.insert(name, at: section)
        }
        for (path, object) in inserted.sorted(by: { $0.0 < $1.0 }) where problems.isEmpty {
            guard path.section < rows.count, path.row <= rows[path.section].count else {
                return check(false, "no place \(text(path))")
            }
            rows[path.section].insert(object, at: path.row)
        }
        (deletedSections, insertedSections, deleted, inserted) = ([], [], [], [])
        let new = controller.sections?.map { $0.objects as? [NSManagedObject] ?? [] } ?? []
        check(
            new == rows,
            "the table shows \(rows.map { $0.map(label) }), the controller has \(new.map { $0.map(label) })")
        check(names == controller.sections?.map(\.name) ?? [], "the sections are \(names)")
    }
}
