internal import Foundation
internal import RuntimeSupport

/// The implementation of a fetched results controller, independent of its result type. Confined to the context's queue.
final class ResultsCore: ChangeFollower {
    let context: NSManagedObjectContext
    private(set) var sections: ResultsSections
    /// The controller that owns this object. Provides titles, and is passed to the delegate.
    weak var owner: (any ResultsOwner)?
    weak var delegate: (any NSFetchedResultsControllerDelegate)?

    /// The settings of the last fetch.
    private var settings: FetchSettings
    private var order: ResultsOrder
    private var evaluator: PredicateEvaluator?
    /// The name of the root entity of the fetched entity's hierarchy.
    private var rootName: String?
    private(set) var contents: ResultsContents?
    private var infos: [any NSFetchedResultsSectionInfo]?
    private var tokens: [any NSObjectProtocol] = []
    /// Whether the last snapshot may contain temporary IDs, which mean nothing after the next save.
    private var hasTemporaryIDs = false
    /// The number of times that the contents were fetched or dropped on request.
    private var fetchCount = 0
    /// Changes that arrived while others were being processed.
    private var waiting: [[AnyHashable: Any]] = []
    private var isFollowing = false
    /// Observers of changes other than the delegate.
    private var observers: [ObjectIdentifier: any ResultsCoreObserver] = [:]

    init(_ settings: FetchSettings, _ context: NSManagedObjectContext, sectionNameKeyPath: String? = nil) {
        Self.check(settings)
        self.settings = settings
        self.context = context
        sections = ResultsSections(keyPath: sectionNameKeyPath)
        order = ResultsOrder(descriptors: settings.sortDescriptors ?? [])
        context.followers.add(self)
        let this = SendableBox(WeakResults(results: self))
        tokens = [
            NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
            ) { notification in
                this.value.results?.contextDidChange(notification.userInfo ?? [:])
            },
            NotificationCenter.default.addObserver(
                forName: .NSManagedObjectContextDidSave, object: context, queue: nil
            ) { _ in
                this.value.results?.contextDidSave()
            },
        ]
    }

    deinit {
        for token in tokens { NotificationCenter.default.removeObserver(token) }
        for observer in observers.values { observer.resultsEnd() }
    }

    private static func check(_ settings: FetchSettings) {
        guard settings.sortDescriptors != nil else {
            misuse(
                "NSInvalidArgumentException",
                "An instance of NSFetchedResultsController requires a fetch request with sort descriptors")
        }
        guard settings.resultType == .managedObjectResultType else {
            misuse("NSInvalidArgumentException", "an NSFetchedResultsController can fetch managed objects only")
        }
    }

    // MARK: Fetching

    /// Executes a fetch, without notifying the delegate.
    func performFetch(_ settings: FetchSettings) throws {
        try performFetch(settings, sections)
    }

    /// Executes a fetch with new sections. If it fails, the controller is as it was before.
    private func performFetch(_ settings: FetchSettings, _ sections: ResultsSections) throws {
        Self.check(settings)
        var settings = settings
        let layout = context.layout(of: settings)
        settings.entity = layout.entity
        let contents = try fetch(settings, sections)
        rootName = layout.rootName
        self.settings = settings
        self.sections = sections
        order = ResultsOrder(descriptors: settings.sortDescriptors ?? [])
        evaluator = settings.predicate.map { PredicateEvaluator($0) }
        fetchCount += 1
        set(contents)
        for observer in observers.values { observer.resultsChanged(self, nil) }
    }

    /// Executes a fetch with a new section key path, without notifying the delegate.
    func performFetch(_ settings: FetchSettings, sectionNameKeyPath: String?) throws {
        try performFetch(settings, ResultsSections(keyPath: sectionNameKeyPath))
    }

    /// Drops the results.
    func clear() {
        fetchCount += 1
        set(nil)
        for observer in observers.values { observer.resultsChanged(self, nil) }
    }

    private func fetch(_ settings: FetchSettings, _ sections: ResultsSections) throws -> ResultsContents {
        var request = settings
        // Section names require the values of all objects.
        if sections.keyPath != nil { request.returnsObjectsAsFaults = false }
        let objects = try context.results(of: request).compactMap { $0 as? NSManagedObject }
        do {
            let contents = try ResultsContents(objects, sections)
            hasTemporaryIDs = objects.contains(where: \.hasTemporaryID)
            return contents
        } catch {
            let reason =
                "The fetched object at index \(error.index) has an out of order section name '\(error.name)'. Objects must be "
                + "sorted by section name"
            throw CoreDataError.error(.coreData, text: reason, userInfo: ["reason": reason])
        }
    }

    private func set(_ contents: ResultsContents?) {
        self.contents = contents
        forget()
    }

    /// Drops what was cached of the contents.
    private func forget() {
        infos = nil
        owner?.forgetObjects()
    }

    // MARK: Following the context

    /// Whether there is a delegate or an observer to notify.
    var isTracking: Bool { delegate != nil || !observers.isEmpty }

    /// Returns whether a delegate or an observer follows objects of an entity hierarchy.
    func isTracking(_ root: String) -> Bool { rootName == root && isTracking }

    /// Processes a change notification of the context.
    private func contextDidChange(_ userInfo: [AnyHashable: Any]) {
        guard contents != nil, isTracking else { return }
        waiting.append(userInfo)
        guard !isFollowing else { return }
        isFollowing = true
        defer { isFollowing = false }
        while !waiting.isEmpty { follow(waiting.removeFirst()) }
    }

    private func follow(_ userInfo: [AnyHashable: Any]) {
        if userInfo[NSInvalidatedAllObjectsKey] != nil { return followRefetch { _ in true } }
        var changed: [ObjectIdentifier: NSManagedObject] = [:]
        for key in [
            NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey, NSRefreshedObjectsKey,
            NSInvalidatedObjectsKey,
        ] {
            guard let objects = userInfo[key] as? Set<NSManagedObject> else { continue }
            for object in objects where isOfEntity(object) { changed[ObjectIdentifier(object)] = object }
        }
        guard !changed.isEmpty else { return }
        let (hits, insertions) = effects(of: changed)
        if settings.fetchLimit > 0 || settings.fetchOffset > 0 {
            // Objects before the window may have been inserted or deleted.
            guard settings.fetchOffset > 0 || !hits.isEmpty || !insertions.isEmpty else { return }
            return followRefetch { changed[ObjectIdentifier($0)] != nil }
        }
        guard !hits.isEmpty || !insertions.isEmpty else { return }
        if insertions.contains(where: \.hasTemporaryID) { hasTemporaryIDs = true }
        announce { [self] in
            // This leaves `old` uniquely referenced, so it is not copied.
            var old = contents ?? ResultsContents()
            contents = nil
            forget()
            let merge = ResultsMerge(&old, hits: hits, insertions: insertions, order: order, naming: sections)
            return (merge.contents, merge.difference)
        }
    }

    private func isOfEntity(_ object: NSManagedObject) -> Bool {
        guard let entity = settings.entity else { return false }
        guard settings.includesSubentities ? object.entity.isKindOf(entity: entity) : object.entity === entity else {
            return false
        }
        guard let stores = settings.affectedStores, !object.objectID.isTemporaryID else { return true }
        return stores.contains { $0 === object.objectID.persistentStore }
    }

    /// Returns which changed objects are among the results, and which are to be inserted into them.
    private func effects(
        of changed: [ObjectIdentifier: NSManagedObject]
    ) -> (hits: [ResultsMerge.Hit], insertions: [NSManagedObject]) {
        guard let contents else { return ([], []) }
        // All faults with one query. What cannot be read now is asked for again, one by one.
        try? context.realize(changed.values.filter { $0.managedObjectContext === context && !$0.isDeleted })
        var matching = changed.filter { matches($0.value) }
        var hits: [ResultsMerge.Hit] = []
        for index in positions(of: changed, in: contents.objects) {
            let object = contents.objects[index]
            // Its row may still be there, so it is neither deleted nor changed.
            if object.flags.contains(.isUnreadable) { continue }
            let stays = matching.removeValue(forKey: ObjectIdentifier(object)) != nil
            hits.append(ResultsMerge.Hit(object: object, index: index, stays: stays))
        }
        // By ID, so that the order of equal objects does not depend on hashing.
        let insertions = matching.values.sorted { $0.objectID.creationOrder < $1.objectID.creationOrder }
        return (hits, insertions)
    }

    /// Returns the indices of changed objects among the results.
    private func positions(of changed: [ObjectIdentifier: NSManagedObject], in objects: [NSManagedObject]) -> [Int] {
        if changed.count == 1, let object = changed.values.first {
            return index(of: object, in: objects).map { [$0] } ?? []
        }
        return objects.indices.filter { changed[ObjectIdentifier(objects[$0])] != nil }
    }

    /// Returns the index of an object. A binary search finds it if the values it was sorted by are unchanged.
    private func index(of object: NSManagedObject, in objects: [NSManagedObject]) -> Int? {
        if !object.isDeleted, object.managedObjectContext === context {
            var index = order.position(of: object, in: objects) - 1
            while index >= 0, order.compare(objects[index], object) == .orderedSame {
                if objects[index] === object { return index }
                index -= 1
            }
        }
        return objects.firstIndex { $0 === object }
    }

    /// Returns whether a changed object belongs to the results.
    private func matches(_ object: NSManagedObject) -> Bool {
        guard !object.isDeleted, object.managedObjectContext === context else { return false }
        // A fault may have no row, and then does not match.
        object.realize()
        guard !object.isMarkedDeleted else { return false }
        guard let evaluator else { return true }
        var session = evaluator.session()
        return session.matches(slotted: object)
    }

    /// Fetches again, and reports the differences.
    private func followRefetch(isUpdated: (NSManagedObject) -> Bool) {
        guard let old = contents else { return }
        let new: ResultsContents
        do {
            new = try fetch(settings, sections)
        } catch {
            return Log.error("the results of a controller cannot be fetched again: \(error)")
        }
        let difference = ResultsDifference(from: old.parts, to: new.parts, isUpdated: isUpdated)
        guard !difference.isEmpty else { return set(new) }
        announce { (new, difference) }
    }

    /// Delivers a snapshot with the permanent IDs that a save has assigned.
    private func contextDidSave() {
        // The save of a child leaves temporary IDs.
        guard hasTemporaryIDs, context.parent == nil, let contents, isTracking else { return }
        hasTemporaryIDs = contents.objects.contains(where: \.hasTemporaryID)
        if let delegate, let controller = owner?.erased {
            DelegateCalls(core: self, delegate: delegate, controller: controller).sendSnapshot()
        }
        for observer in observers.values { observer.resultsChanged(self, ResultsDifference()) }
    }

    // MARK: Notifying

    /// Applies a change, and notifies the delegate and the observers.
    private func announce(_ change: () -> (ResultsContents, ResultsDifference<NSManagedObject>)) {
        var difference = ResultsDifference<NSManagedObject>()
        let count = fetchCount
        func apply() -> ResultsDifference<NSManagedObject> {
            // The delegate may have fetched again when it was told that the contents will change.
            guard fetchCount == count else { return difference }
            let (new, found) = change()
            set(new)
            difference = found
            return found
        }
        if let delegate, let controller = owner?.erased {
            DelegateCalls(core: self, delegate: delegate, controller: controller).notify(apply)
        } else {
            _ = apply()
        }
        // After another fetch, which observers know of, the difference belongs to contents that are gone.
        guard fetchCount == count else { return }
        for observer in observers.values { observer.resultsChanged(self, difference) }
    }

    /// Runs a block with other contents temporarily in place. Returns whether the block has not fetched again.
    func withContents(_ other: ResultsContents?, _ body: () -> Void) -> Bool {
        let current = contents
        let count = fetchCount
        set(other)
        body()
        guard fetchCount == count else { return false }
        set(current)
        return true
    }

    func add(_ observer: any ResultsCoreObserver) { observers[ObjectIdentifier(observer)] = observer }

    func remove(_ observer: any ResultsCoreObserver) { observers[ObjectIdentifier(observer)] = nil }

    /// Records that a delegate lacks a method: its default implementation was called.
    func lacksMethod(_ method: DelegateCalls.Method, _ delegate: any NSFetchedResultsControllerDelegate) {
        DelegateCalls.missing.insert(method, of: type(of: delegate))
    }

    // MARK: Reading

    var sectionInfos: [any NSFetchedResultsSectionInfo]? {
        guard let contents else { return nil }
        if let infos { return infos }
        let infos = contents.sections.map { sectionInfo($0.name, contents.objects[$0.range]) }
        self.infos = infos
        return infos
    }

    func sectionInfo(_ name: String, _ objects: ArraySlice<NSManagedObject>) -> any NSFetchedResultsSectionInfo {
        ResultsSectionInfo(name: name, indexTitle: title(of: name), objects)
    }

    private func title(of name: String) -> String? {
        guard let owner else { return nil }
        guard let delegate else { return owner.sectionIndexTitle(forSectionName: name) }
        return delegate.controller(owner.erased, sectionIndexTitleForSectionName: name)
    }

    /// The titles of the section index, and the first section of each.
    var indexTitles: [(title: String, section: Int)] {
        guard let contents, sections.keyPath != nil else { return [] }
        var titles: [(title: String, section: Int)] = []
        for (index, section) in contents.sections.enumerated() {
            guard let title = title(of: section.name), titles.last?.title != title else { continue }
            titles.append((title, index))
        }
        return titles
    }

    func indexPath(of object: NSManagedObject) -> IndexPath? {
        guard let contents, let index = index(of: object, in: contents.objects) else { return nil }
        return contents.path(of: index)
    }
}

/// An unretained reference to results.
struct WeakResults {
    weak var results: ResultsCore?
}

/// An object that is notified of changes of results.
protocol ResultsCoreObserver: AnyObject {
    /// Called when the results have changed.
    ///
    /// - Parameter difference: The changes; `nil` after a new fetch.
    func resultsChanged(_ core: ResultsCore, _ difference: ResultsDifference<NSManagedObject>?)
    /// Called when there will be no more changes.
    func resultsEnd()
}

extension ResultsContents {
    /// The names and objects of the sections.
    var parts: [(name: String, elements: [NSManagedObject])] {
        sections.map { ($0.name, Array(objects[$0.range])) }
    }
}
