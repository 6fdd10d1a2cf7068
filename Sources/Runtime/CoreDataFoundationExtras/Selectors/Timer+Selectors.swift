public import Foundation
internal import RuntimeSupport

extension Timer {
    /// Creates a timer that calls a method of an object, which it retains until it is invalidated, and schedules it on
    /// the current run loop.
    ///
    /// ```swift
    /// final class Clock {
    ///     func tick() {}
    /// }
    /// let timer = Timer.scheduledTimer(
    ///     timeInterval: 60, target: Clock(), selector: Selector("tick", calling: Clock.tick), userInfo: nil, repeats: true)
    /// ```
    ///
    /// - Parameters:
    ///   - ti: The number of seconds.
    ///   - aTarget: The object whose method is called.
    ///   - aSelector: The method, without arguments or with the timer. Traps if it is only a name.
    ///   - userInfo: The value of the timer's `userInfo` until it is invalidated.
    ///   - yesOrNo: Whether the timer repeats.
    public class func scheduledTimer(
        timeInterval ti: TimeInterval, target aTarget: Any, selector aSelector: Selector, userInfo: Any?,
        repeats yesOrNo: Bool
    ) -> Timer {
        let timer = SelectorTimer.make(ti, calling: aSelector, of: aTarget, userInfo: userInfo, repeats: yesOrNo)
        RunLoop.current.add(timer, forMode: .default)
        return timer
    }
}

// An initializer of a class cannot return an instance of a subclass, that of a protocol can.
extension Hashable where Self: Timer {
    /// Creates a timer that calls a method of an object, which it retains until it is invalidated. Add it to a run
    /// loop. Traps for subclasses of `Timer`.
    ///
    /// - Parameters:
    ///   - ti: The number of seconds.
    ///   - aTarget: The object whose method is called.
    ///   - aSelector: The method, without arguments or with the timer. Traps if it is only a name.
    ///   - userInfo: The value of the timer's `userInfo` until it is invalidated.
    ///   - yesOrNo: Whether the timer repeats.
    public init(
        timeInterval ti: TimeInterval, target aTarget: Any, selector aSelector: Selector, userInfo: Any?,
        repeats yesOrNo: Bool
    ) {
        let timer = SelectorTimer.make(ti, calling: aSelector, of: aTarget, userInfo: userInfo, repeats: yesOrNo)
        guard let timer = timer as? Self else {
            misuse("NSInvalidArgumentException", "\(Self.self), a subclass of Timer, cannot be created with a selector")
        }
        self = timer
    }
}

/// A timer with a value: those of Foundation on Linux carry none.
private final class SelectorTimer: Timer {
    // Set before the timer is used, and read and released on the thread that uses it, as on Apple's platforms.
    nonisolated(unsafe) private var value: Any?

    static func make(
        _ interval: TimeInterval, calling selector: Selector, of target: Any, userInfo: Any?, repeats: Bool
    ) -> SelectorTimer {
        selector.requireMethod()
        let box = SendableBox(target as AnyObject)
        let timer = SelectorTimer(timeInterval: interval, repeats: repeats) { timer in
            selector.perform(on: box.value, with: timer)
        }
        timer.value = userInfo
        return timer
    }

    override var userInfo: Any? { value }

    override func invalidate() {
        super.invalidate()
        value = nil
    }
}
