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
    ///   - userInfo: `nil`: Foundation's timers on Linux carry no value.
    ///   - yesOrNo: Whether the timer repeats.
    public class func scheduledTimer(
        timeInterval ti: TimeInterval, target aTarget: Any, selector aSelector: Selector, userInfo: Never?,
        repeats yesOrNo: Bool
    ) -> Timer {
        scheduledTimer(withTimeInterval: ti, repeats: yesOrNo, block: call(aSelector, of: aTarget))
    }

    /// Creates a timer that calls a method of an object, which it retains until it is invalidated. Add it to a run
    /// loop.
    ///
    /// - Parameters:
    ///   - ti: The number of seconds.
    ///   - aTarget: The object whose method is called.
    ///   - aSelector: The method, without arguments or with the timer. Traps if it is only a name.
    ///   - userInfo: `nil`: Foundation's timers on Linux carry no value.
    ///   - yesOrNo: Whether the timer repeats.
    public convenience init(
        timeInterval ti: TimeInterval, target aTarget: Any, selector aSelector: Selector, userInfo: Never?,
        repeats yesOrNo: Bool
    ) {
        self.init(timeInterval: ti, repeats: yesOrNo, block: Self.call(aSelector, of: aTarget))
    }

    private static func call(_ selector: Selector, of target: Any) -> @Sendable (Timer) -> Void {
        selector.requireMethod()
        let box = SendableBox(target as AnyObject)
        return { timer in selector.perform(on: box.value, with: timer) }
    }
}
