import CoreDataFoundationExtras
import Foundation
import Testing

@Suite struct NotificationsTests {
    private let center = NotificationCenter()
    private let name = Notification.Name("NotificationsTests")

    @Test func notificationsArriveInOrder() async {
        var iterator = center.notifications(named: name).makeAsyncIterator()
        for number in 1...3 { center.post(name: name, object: nil, userInfo: ["number": number]) }
        for number in 1...3 { #expect(await iterator.next()?.userInfo?["number"] as? Int == number) }
    }

    @Test func notificationsAreFilteredByNameAndObject() async {
        let (requested, other) = (NSObject(), NSObject())
        var iterator = center.notifications(named: name, object: requested).makeAsyncIterator()
        center.post(name: name, object: other)
        center.post(name: Notification.Name("other"), object: requested)
        center.post(name: name, object: requested, userInfo: ["is": "wanted"])
        #expect(await iterator.next()?.userInfo?["is"] as? String == "wanted")
    }

    @Test func observationStartsWithIteration() async {
        let notes = center.notifications(named: name)
        center.post(name: name, object: nil, userInfo: ["is": "early"])
        var iterator = notes.makeAsyncIterator()
        center.post(name: name, object: nil, userInfo: ["is": "late"])
        #expect(await iterator.next()?.userInfo?["is"] as? String == "late")
    }

    @Test func aCancelledTaskStopsIterating() async {
        let notes = center.notifications(named: name)
        let task = Task { () -> Int in
            var count = 0
            for await _ in notes { count += 1 }
            return count
        }
        task.cancel()
        #expect(await task.value == 0)
    }

    @Test func destroyedIteratorsStopObserving() async {
        final class Payload {}
        weak var payload: Payload?
        do {
            let object = Payload()
            payload = object
            let iterator = center.notifications(named: name).makeAsyncIterator()
            center.post(name: name, object: object)
            withExtendedLifetime(iterator) {}
        }
        #expect(payload == nil)
        center.post(name: name, object: nil)
    }

    @Test func sequenceOperatorsApply() async {
        let names = center.notifications(named: name).map { $0.userInfo?["number"] as? Int ?? 0 }
        var iterator = names.makeAsyncIterator()
        center.post(name: name, object: nil, userInfo: ["number": 7])
        #expect(await iterator.next() == 7)
    }
}
