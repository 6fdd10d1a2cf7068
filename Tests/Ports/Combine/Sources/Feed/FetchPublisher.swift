import Combine
import CoreData

/// A publisher of the objects of a request, as many apps have one.
public struct FetchPublisher<Object: NSManagedObject>: Publisher {
    public typealias Output = [Object]
    public typealias Failure = Error

    let request: NSFetchRequest<Object>
    let context: NSManagedObjectContext

    public init(_ request: NSFetchRequest<Object>, in context: NSManagedObjectContext) {
        self.request = request
        self.context = context
    }

    public func receive<S>(subscriber: S) where S: Subscriber, S.Failure == Error, S.Input == [Object] {
        subscriber.receive(subscription: FetchSubscription(subscriber, request, context))
    }
}

private final class FetchSubscription<S: Subscriber, Object: NSManagedObject>: NSObject, Subscription,
    NSFetchedResultsControllerDelegate
where S.Input == [Object], S.Failure == Error {
    private var subscriber: S?
    private var demand: Subscribers.Demand = .none
    private let controller: NSFetchedResultsController<Object>

    init(_ subscriber: S, _ request: NSFetchRequest<Object>, _ context: NSManagedObjectContext) {
        self.subscriber = subscriber
        controller = NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
        super.init()
        controller.delegate = self
        do {
            try controller.performFetch()
        } catch {
            subscriber.receive(completion: .failure(error))
        }
    }

    func request(_ demand: Subscribers.Demand) {
        self.demand += demand
        send()
    }

    func cancel() {
        subscriber = nil
        controller.delegate = nil
    }

    func controllerDidChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) { send() }

    private func send() {
        guard let subscriber, demand > 0 else { return }
        demand -= 1
        demand += subscriber.receive(controller.fetchedObjects ?? [])
    }
}
