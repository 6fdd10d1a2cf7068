import CoreData
import TestSupport
import Testing

/// Random edits: the changes reported to a delegate, applied to the old sections, yield the new ones, which equal the
/// result of a new fetch. `MODELC_FUZZ_SECONDS=60 swift test --filter ResultsFuzz` runs longer; see `GraphFuzzTests`.
@Suite struct ResultsFuzzTests {
    /// A controller's configuration.
    private struct Form {
        var sections: String?
        var sorts: [NSSortDescriptor]
        var predicate: NSPredicate?
        var limit = 0
        var offset = 0

        init(_ random: inout SeededGenerator) {
            let isAscending = random.chance(2)
            let section = ["pages", "author.name", "title", nil].randomElement(using: &random) ?? nil
            sections = section
            sorts = section.map { [NSSortDescriptor(key: $0, ascending: isAscending)] } ?? []
            if sections == nil || random.chance(2) { sorts.append(NSSortDescriptor(key: "price", ascending: true)) }
            // The last one is unique for all objects.
            sorts.append(NSSortDescriptor(key: "weight", ascending: random.chance(2)))
            let predicates = [nil, "pages < 3", "price > 1 OR title == 'a'", "author != nil", "isNew == YES"]
            predicate = (predicates.randomElement(using: &random) ?? nil).map { NSPredicate(format: $0) }
            if random.chance(5) {
                limit = Int.random(in: 0...6, using: &random)
                offset = Int.random(in: 0...3, using: &random)
            }
        }

        func request() -> NSFetchRequest<NSManagedObject> {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.sortDescriptors = sorts
            request.predicate = predicate
            request.fetchLimit = limit
            request.fetchOffset = offset
            return request
        }

        func controller(_ context: NSManagedObjectContext) -> NSFetchedResultsController<NSManagedObject> {
            NSFetchedResultsController(
                fetchRequest: request(), managedObjectContext: context, sectionNameKeyPath: sections, cacheName: nil)
        }
    }

    /// An editor that makes random changes in a context.
    private final class Editor {
        let context: NSManagedObjectContext
        var random: SeededGenerator
        var weight: Float
        var log: [String] = []

        init(_ context: NSManagedObjectContext, _ random: SeededGenerator, weight: Float) {
            self.context = context
            self.random = random
            self.weight = weight
        }

        func edit() throws {
            let books = try context.all("Book", by: "weight")
            switch Int.random(in: 0..<10, using: &random) {
            case 0...1:
                weight += 1
                let book = context.make(random.chance(3) ? "Novel" : "Book", ["weight": weight])
                for _ in 0..<3 { try change(book) }
                log.append("insert \(weight)")
            case 2 where books.count > 2:
                guard let book = books.randomElement(using: &random) else { return }
                log.append("delete \(book.value(forKey: "weight") ?? "")")
                context.delete(book)
            default:
                guard let book = books.randomElement(using: &random) else { return }
                try change(book)
            }
        }

        private func change(_ book: NSManagedObject) throws {
            let number = Int.random(in: 0...4, using: &random)
            let name = book.value(forKey: "weight") ?? ""
            switch Int.random(in: 0..<6, using: &random) {
            case 0:
                log.append("\(name).pages = \(number)")
                book.setValue(number, forKey: "pages")
            case 1:
                log.append("\(name).price = \(number)")
                book.setValue(random.chance(3) ? nil : Double(number), forKey: "price")
            case 2:
                log.append("\(name).title = \(number)")
                book.setValue(["a", "b", "c", "d", "e"][number], forKey: "title")
            case 3:
                log.append("\(name).author = \(number)")
                let authors = try context.all("Author", by: "name")
                book.setValue(number < authors.count ? authors[number] : nil, forKey: "author")
            case 4:
                log.append("\(name).isNew")
                book.setValue(random.chance(2), forKey: "isNew")
            default:
                log.append("\(name).date")
                book.setValue(Date(), forKey: "date")
            }
        }
    }

    @Test func changesGiveTheNewSections() {
        Seeds.run(rounds: 5) { random, log in
            var random = random
            let coordinator = try Library.coordinator()
            let context = try Library.context(coordinator)
            context.automaticallyMergesChangesFromParent = true
            for name in ["A", "B", "C"] { _ = context.make("Author", ["name": name]) }
            try context.save()
            let editor = Editor(context, SeededGenerator(seed: random.next()), weight: 0)
            defer { log = editor.log }
            for _ in 0..<Int.random(in: 0...30, using: &random) { try editor.edit() }
            if random.chance(2) { context.undoManager = UndoManager() }
            try context.save()
            let forms = (0..<3).map { _ in Form(&random) }
            let controllers = try forms.map { form in
                let (controller, delegate) = (form.controller(context), TableDelegate())
                controller.delegate = delegate
                try controller.performFetch()
                delegate.reload(controller)
                delegate.label = { object in
                    object.managedObjectContext == nil || object.isDeleted
                        ? "gone" : "\(object.value(forKey: "weight") ?? "nil")"
                }
                return (controller, delegate)
            }
            let other = Editor(try Library.context(coordinator), SeededGenerator(seed: random.next()), weight: 1000)
            other.context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
            context.mergePolicy = NSMergeByPropertyStoreTrumpMergePolicy
            for _ in 0..<25 {
                try step(editor, other, &random)
                context.processPendingChanges()
                for (index, (controller, delegate)) in controllers.enumerated() {
                    editor.log.append("#\(index) \(delegate.log)")
                    delegate.log = []
                    guard delegate.problems.isEmpty else {
                        throw GraphDifference(description: "#\(index) \(forms[index]): \(delegate.problems)")
                    }
                    try check(controller, forms[index], context, "#\(index)")
                }
            }
        }
    }

    private func step(_ editor: Editor, _ other: Editor, _ random: inout SeededGenerator) throws {
        let context = editor.context
        switch Int.random(in: 0..<14, using: &random) {
        case 0:
            editor.log.append("save")
            try context.save()
        case 1:
            editor.log.append("undo")
            context.undo()
        case 2:
            editor.log.append("redo")
            context.redo()
        case 3:
            editor.log.append("rollback")
            context.rollback()
        case 4 where random.chance(3):
            editor.log.append("reset")
            context.reset()
        case 5:
            editor.log.append("refresh")
            for object in try context.all("Book") where random.chance(2) {
                let merges = random.chance(2)
                // A new object would lose the weight that makes its position unique.
                context.refresh(object, mergeChanges: merges || object.isInserted)
            }
        // Changes that other contexts save to an object deleted here are not merged: a rollback or undo restores the
        // known values, while a fetch finds the object by its saved values.
        case 6...7 where context.deletedObjects.isEmpty:
            other.log = []
            other.context.reset()
            for _ in 0..<Int.random(in: 1...5, using: &random) { try other.edit() }
            editor.log.append("other: \(other.log)")
            try other.context.save()
            context.performAndWait {}
        case 8:
            let child = Editor(
                GraphFuzzTests.child(of: context), SeededGenerator(seed: random.next()), weight: editor.weight + 100)
            for _ in 0..<Int.random(in: 1...5, using: &random) { try child.edit() }
            editor.log.append("child: \(child.log)")
            editor.weight = child.weight
            try child.context.save()
        default:
            for _ in 0..<Int.random(in: 1...(random.chance(8) ? 40 : 5), using: &random) { try editor.edit() }
        }
    }

    private func check(
        _ controller: NSFetchedResultsController<NSManagedObject>, _ form: Form, _ context: NSManagedObjectContext,
        _ name: String
    ) throws {
        let fresh = form.controller(context)
        try fresh.performFetch()
        func parts(_ controller: NSFetchedResultsController<NSManagedObject>) -> [String] {
            controller.sections?.map { section in
                let objects = (section.objects as? [NSManagedObject] ?? []).map {
                    "\($0.value(forKey: "weight") ?? "nil")"
                }
                return "\(section.name): \(objects)"
            } ?? []
        }
        guard controller.fetchedObjects == fresh.fetchedObjects, parts(controller) == parts(fresh) else {
            throw GraphDifference(
                description: "\(name) \(form): the sections are \(parts(controller)), a fetch gives \(parts(fresh))")
        }
        for section in (controller.sections ?? []).indices {
            for row in 0..<(controller.sections?[section].numberOfObjects ?? 0) {
                let path = IndexPath(row: row, section: section)
                guard controller.indexPath(forObject: controller.object(at: path)) == path else {
                    throw GraphDifference(description: "\(name): the object at \(path) is not found")
                }
            }
        }
    }
}
