internal import CoreData
internal import Dispatch
internal import Foundation

/// An executor with a context.
public protocol ModelExecutor: Executor {
    /// The context that the executor's jobs use.
    var modelContext: ModelContext { get }
}

/// A serial executor with a context.
public protocol SerialModelExecutor: ModelExecutor, SerialExecutor {}

/// Runs the code of an actor, and its context, on a private serial queue.
///
/// Also for an actor that is created on the main thread, whose code Apple's framework runs on the main queue.
public final class DefaultSerialModelExecutor: SerialModelExecutor, @unchecked Sendable {
    /// The context.
    public let modelContext: ModelContext
    private let queue = DispatchQueue(label: "SwiftData.DefaultSerialModelExecutor")

    /// Creates an executor.
    public init(modelContext: ModelContext) {
        self.modelContext = modelContext
        if !modelContext.isMain { modelContext.queue = queue }
    }

    /// Runs a job on the queue.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// A reference to the executor.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}

/// An actor that owns a context. `@ModelActor` adds the conformance.
public protocol ModelActor: Actor {
    /// The container whose stores the actor's context uses.
    nonisolated var modelContainer: ModelContainer { get }
    /// What runs the actor's code.
    nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
    /// What runs the actor's code.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        guard let executor = modelExecutor as? any SerialModelExecutor else {
            fatalError("SwiftData: the executor of \(Self.self) is not a SerialModelExecutor")
        }
        return executor.asUnownedSerialExecutor()
    }

    /// The context.
    public var modelContext: ModelContext { modelExecutor.modelContext }

    /// Returns the actor's model with an identifier; `nil` if it has another class.
    public subscript<T: PersistentModel>(id: PersistentIdentifier, as type: T.Type) -> T? {
        modelContext.existingModel(for: id)
    }
}

extension ModelContext {
    /// Returns the model with an identifier; `nil` if the store has none.
    func existingModel<T: PersistentModel>(for identifier: PersistentIdentifier) -> T? {
        receiveSaves()
        guard let id = objectID(for: identifier) else { return nil }
        do {
            return anyModel(of: try managed.existingObject(with: id)) as? T
        } catch let error as NSError
            where error.domain == NSCocoaErrorDomain
            && error.code == NSManagedObjectReferentialIntegrityError
        {
            return nil
        } catch {
            // Whether the store has the model is not known; its first property that is read says why.
            return anyModel(of: managed.object(with: id)) as? T
        }
    }
}
