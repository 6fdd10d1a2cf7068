import CoreData
import Testing

/// Fetches in the background.
@Suite(.overAllStores) struct AsynchronousFetchTests {
    private func filled(_ count: Int) throws -> NSManagedObjectContext {
        let context = try Library.context()
        context.performAndWait {
            for number in 0..<count { _ = context.make("Author", ["name": "n\(number)", "age": number]) }
        }
        try context.performAndWait { try context.save() }
        return context
    }

    /// The result passed to a callback.
    private struct Outcome: Sendable {
        var ages: [Int]?
        var code: Int?
        var isOnQueue = false
    }

    private func fetch(
        _ context: NSManagedObjectContext, _ change: (NSFetchRequest<NSManagedObject>) -> Void = { _ in },
        parent: Progress? = nil, afterwards: (NSPersistentStoreAsynchronousResult) -> Void = { _ in }
    ) async -> Outcome {
        await withCheckedContinuation { continuation in
            context.performAndWait {
                parent?.becomeCurrent(withPendingUnitCount: 1)
                defer { parent?.resignCurrent() }
                let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
                request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
                change(request)
                let asynchronous = NSAsynchronousFetchRequest(fetchRequest: request) { result in
                    // On the context's queue, this does not wait.
                    let objects = result.finalResult
                    continuation.resume(
                        returning: Outcome(
                            ages: objects.map { $0.compactMap { $0.value(forKey: "age") as? Int } },
                            code: result.operationError.map { ($0 as NSError).code },
                            isOnQueue: objects?.first.map { $0.managedObjectContext === context } ?? true))
                }
                do {
                    let result = try context.execute(asynchronous)
                    guard let result = result as? NSAsynchronousFetchResult<NSManagedObject> else {
                        Issue.record("\(result)")
                        return
                    }
                    #expect(result.finalResult == nil && result.managedObjectContext === context)
                    #expect(result.fetchRequest === asynchronous)
                    afterwards(result)
                } catch {
                    Issue.record(error)
                }
            }
        }
    }

    @Test func findsObjectsOfTheContext() async throws {
        let context = try filled(1000)
        let outcome = await fetch(context) { $0.predicate = NSPredicate(format: "age >= 10 AND age < 15") }
        #expect(outcome.ages == [10, 11, 12, 13, 14] && outcome.isOnQueue && outcome.code == nil)
    }

    @Test func resultsIncludeUnsavedChanges() async throws {
        let context = try filled(5)
        try context.performAndWait {
            _ = context.make("Author", ["age": 7])
            context.delete(try context.all("Author", by: "age")[2])
        }
        let outcome = await fetch(context)
        #expect(outcome.ages == [0, 1, 3, 4, 7])
        let saved = await fetch(context) { $0.includesPendingChanges = false }
        // The objects are the context's: they have their current values, not the saved ones.
        #expect(saved.ages?.count == 5)
    }

    @Test func aCancelledFetchHasNoResults() async throws {
        let context = try filled(10)
        let outcome = await fetch(context, afterwards: { $0.cancel() })
        #expect(outcome.ages == nil && outcome.code == CocoaError.Code.userCancelled.rawValue)
    }

    @Test func progressIsAChildOfTheCurrentProgress() async throws {
        let context = try filled(600)
        let parent = Progress(totalUnitCount: 1)
        let outcome = await fetch(context, parent: parent, afterwards: { #expect($0.progress != nil) })
        #expect(outcome.ages?.count == 600)
        #expect(parent.fractionCompleted == 1)
    }

    @Test func progressIsNilWithoutACurrentProgress() async throws {
        let context = try filled(1)
        _ = await fetch(context, afterwards: { #expect($0.progress == nil) })
    }

    @Test func cancellingTheProgressCancels() async throws {
        let context = try filled(10)
        let parent = Progress(totalUnitCount: 1)
        let outcome = await fetch(context, parent: parent, afterwards: { _ in parent.cancel() })
        #expect(outcome.code == CocoaError.Code.userCancelled.rawValue)
    }

    @Test func aPlainRequestIsExecutedSynchronously() throws {
        let context = try filled(3)
        try context.performAndWait {
            let result = try context.execute(NSFetchRequest<NSManagedObject>(entityName: "Author"))
            #expect((result as? NSAsynchronousFetchResult<NSManagedObject>)?.finalResult?.count == 3)
        }
    }
}
