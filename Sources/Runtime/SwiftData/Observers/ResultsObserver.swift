internal import CoreData
public import Foundation
public import Observation

/// The results of a query, which follow the changes of a context. Observable, for code outside of views.
///
/// ```swift
/// let books = try ResultsObserver(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]), modelContext: context)
/// withObservationTracking { show(books.results) } onChange: { scheduleUpdate() }
/// ```
///
/// Changes of the context arrive when they are processed: by a save, a fetch or `processPendingChanges()`. What other
/// contexts of the container save arrives automatically in the main context and in those of model actors.
/// `SectionTitle` is `Never` for results without sections.
///
/// Use an observer and its models in the context's isolation domain.
public final class ResultsObserver<Element: PersistentModel, SectionTitle: Hashable>: Observable {
    /// Models with the same title, in the order of the results.
    public struct Section {
        /// The value that the section's models share.
        public let title: SectionTitle
        /// The models.
        public let elements: [Element]
    }

    private let registrar = ObservationRegistrar()
    private let context: ModelContext
    private let controller: NSFetchedResultsController<NSManagedObject>
    private let title: KeyPath<Element, SectionTitle>?
    /// Follows the controller, which does not retain it.
    private let relay: Relay
    private var contents: (models: [Element], sections: [Section])?

    /// Creates an observer with a section for each value of a property, in the order of their first models.
    ///
    /// - Throws: What the fetch throws.
    public convenience init(
        _ fetchDescriptor: FetchDescriptor<Element>, sectionBy: KeyPath<Element, SectionTitle>,
        modelContext: ModelContext
    ) throws {
        try self.init(fetchDescriptor, title: sectionBy, in: modelContext)
    }

    /// Creates an observer of results without sections.
    ///
    /// - Throws: What the fetch throws.
    public convenience init(_ fetchDescriptor: FetchDescriptor<Element>, modelContext: ModelContext) throws
    where SectionTitle == Never {
        try self.init(fetchDescriptor, title: nil, in: modelContext)
    }

    private init(
        _ descriptor: FetchDescriptor<Element>, title: KeyPath<Element, SectionTitle>?, in context: ModelContext
    ) throws {
        self.context = context
        self.title = title
        // Before the fetch, so that every later save arrives.
        context.receivesSavesByItself()
        let request = try context.request(descriptor)
        controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context.managed, sectionNameKeyPath: nil, cacheName: nil)
        relay = Relay()
        controller.delegate = relay
        relay.willChange = { [weak self] in self?.willChange() }
        relay.didChange = { [weak self] in self?.didChange() }
        try controller.performFetch()
    }

    private func willChange() { registrar.willSet(self, keyPath: \.results) }

    private func didChange() {
        contents = nil
        registrar.didSet(self, keyPath: \.results)
    }

    private var current: (models: [Element], sections: [Section]) {
        registrar.access(self, keyPath: \.results)
        if let contents { return contents }
        let models = (controller.fetchedObjects ?? []).map { context.model(of: $0, as: Element.self) }
        let new = (models, sections(of: models))
        contents = new
        return new
    }

    private func sections(of models: [Element]) -> [Section] {
        guard let title else { return [] }
        var titles: [SectionTitle] = []
        var groups: [SectionTitle: [Element]] = [:]
        for model in models {
            let value = model[keyPath: title]
            if groups[value] == nil { titles.append(value) }
            groups[value, default: []].append(model)
        }
        return titles.map { Section(title: $0, elements: groups[$0] ?? []) }
    }

    /// The models, in order.
    public var results: [Element] { current.models }

    /// The sections; empty for results without them.
    public var sections: [Section] { current.sections }

    /// Returns the model at an index path, which consists of a section's index and a position in it. Results without
    /// sections are section 0. Traps if it is out of bounds.
    public func element(at indexPath: IndexPath) -> Element {
        guard indexPath.count == 2 else {
            fatalError("SwiftData: the index path \(indexPath) does not consist of a section and a position")
        }
        return title == nil && indexPath[0] == 0
            ? results[indexPath[1]] : sections[indexPath[0]].elements[indexPath[1]]
    }

    /// Returns the index path of a model; `nil` if it is not among the results.
    public func indexPath(for element: Element) -> IndexPath? {
        if title == nil { return results.firstIndex(of: element).map { IndexPath(indexes: [0, $0]) } }
        for (section, position) in zip(sections, sections.indices) {
            if let index = section.elements.firstIndex(of: element) { return IndexPath(indexes: [position, index]) }
        }
        return nil
    }
}

/// Passes on what a controller reports.
private final class Relay: NSObject, NSFetchedResultsControllerDelegate {
    var willChange: () -> Void = {}
    var didChange: () -> Void = {}

    func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        willChange()
    }

    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {
        didChange()
    }
}

extension ModelContext {
    /// From now on, refreshes models on the context's queue as soon as another context has saved, if it has a queue.
    fileprivate func receivesSavesByItself() {
        guard let queue else { return }
        // The context is used on its queue only, here too.
        nonisolated(unsafe) weak let context = self
        inbox.notify { queue.async { context?.receiveSaves() } }
    }
}
