public import Foundation

extension NotificationCenter {
    /// Returns the notifications with a name as an asynchronous sequence, as on Apple's platforms.
    ///
    /// ```swift
    /// for await note in NotificationCenter.default.notifications(named: .NSManagedObjectContextDidSave) {
    ///     print(note.userInfo?.count ?? 0)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name to observe.
    ///   - object: The sender to observe, or `nil` for every sender.
    @_disfavoredOverload
    public func notifications(named name: Notification.Name, object: AnyObject? = nil) -> Notifications {
        Notifications(center: self, name: name, object: object)
    }

    /// The notifications with a name, as an asynchronous sequence.
    ///
    /// Each iterator observes notifications from its creation until it is destroyed or its task is cancelled, and
    /// buffers notifications posted between two calls of `next()`. Notifications are not `Sendable`: they are posted on
    /// the thread of the sender and read by the iterating task.
    public final class Notifications: AsyncSequence, @unchecked Sendable {
        /// The sequence's element type.
        public typealias Element = Notification
        /// The sequence never fails.
        public typealias Failure = Never

        private let center: NotificationCenter
        private let name: Notification.Name
        private weak var object: AnyObject?
        private let observesAnyObject: Bool

        init(center: NotificationCenter, name: Notification.Name, object: AnyObject?) {
            self.center = center
            self.name = name
            self.object = object
            observesAnyObject = object == nil
        }

        /// Returns an iterator that starts observing immediately.
        public func makeAsyncIterator() -> Iterator {
            let (stream, continuation) = AsyncStream<Posted>.makeStream()
            if !observesAnyObject, object == nil {
                // The sender was deallocated, so it can post no more notifications.
                continuation.finish()
            } else {
                let token = Token(
                    value: center.addObserver(forName: name, object: object, queue: nil) { note in
                        continuation.yield(Posted(note: note))
                    })
                continuation.onTermination = { [center] _ in center.removeObserver(token.value) }
            }
            return Iterator(base: stream.makeAsyncIterator(), end: End(continuation))
        }

        /// The iterator of the sequence.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate var base: AsyncStream<Posted>.Iterator
            fileprivate let end: End

            /// Returns the next notification, or `nil` once the task is cancelled.
            public mutating func next() async -> Notification? {
                await next(isolation: nil)
            }

            /// Returns the next notification, or `nil` once the task is cancelled.
            public mutating func next(isolation actor: isolated (any Actor)?) async -> Notification? {
                await base.next(isolation: actor)?.note
            }
        }

        /// Ends the observation when the last copy of an iterator is destroyed.
        fileprivate final class End: Sendable {
            private let continuation: AsyncStream<Posted>.Continuation

            init(_ continuation: AsyncStream<Posted>.Continuation) {
                self.continuation = continuation
            }

            deinit { continuation.finish() }
        }

        fileprivate struct Posted: @unchecked Sendable {
            let note: Notification
        }

        private struct Token: @unchecked Sendable {
            let value: any NSObjectProtocol
        }
    }
}
