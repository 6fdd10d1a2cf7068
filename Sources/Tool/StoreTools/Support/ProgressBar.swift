internal import Foundation
internal import ModelcDriver

/// A bar on the terminal that shows the `Progress` of work on this thread. Nothing is shown if the error stream is not
/// a terminal.
final class ProgressBar: @unchecked Sendable {
    private static let width = 30
    /// The time between updates, in seconds.
    private static let interval = 0.1

    private let environment: DriverEnvironment
    private let label: String
    private let progress = Progress(totalUnitCount: 1)
    // Only one thread prints at a time: the caller's thread waits until the other has ended.
    private let end = DispatchSemaphore(value: 0)
    private let didEnd = DispatchSemaphore(value: 0)

    init(_ environment: DriverEnvironment, label: String) {
        self.environment = environment
        self.label = label
    }

    /// Runs the work, whose progress is a child of the bar's.
    func run<Result, Failure: Error>(_ work: () throws(Failure) -> Result) throws(Failure) -> Result {
        guard environment.errorOutputIsTerminal else { return try work() }
        let thread = Thread { self.show() }
        thread.start()
        defer {
            end.signal()
            didEnd.wait()
        }
        progress.becomeCurrent(withPendingUnitCount: 1)
        defer { progress.resignCurrent() }
        return try work()
    }

    private func show() {
        while end.wait(timeout: .now() + Self.interval) == .timedOut {
            environment.replaceErrorLine(text(progress.fractionCompleted))
        }
        environment.replaceErrorLine("")
        didEnd.signal()
    }

    private func text(_ fraction: Double) -> String {
        let filled = Int((min(1, max(0, fraction)) * Double(Self.width)).rounded())
        let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: Self.width - filled)
        return "\(label) [\(bar)] \(Int(fraction * 100)) %"
    }
}
