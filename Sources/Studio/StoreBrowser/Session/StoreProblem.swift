internal import CoreData
internal import Diagnostics
internal import Foundation
internal import ModelcDriver

/// The reason why a store cannot be shown, or why a request cannot be performed.
package struct StoreProblem: Error, Codable, Sendable {
    /// The problem, in one sentence without a period.
    package var message: String
    /// What to do about it.
    package var help: String?
    /// The range of the error in the predicate's text, in UTF-16 units as in JavaScript.
    package var range: [Int]?
    /// Whether another program has locked the store; `nil` if the reason is another one.
    package var isBusy: Bool?
    /// Whether the store could be shown with its model, which was not found; `nil` if the reason is another one.
    package var needsModel: Bool?

    /// Creates a problem.
    package init(_ message: String, help: String? = nil, range: [Int]? = nil, needsModel: Bool? = nil) {
        self.needsModel = needsModel
        self.message = message
        self.help = help
        self.range = range
    }

    /// Creates a problem from a command's failure.
    init(_ failure: InputFailure) {
        let first = failure.diagnostics.first { $0.severity == .error } ?? failure.diagnostics.first
        self.init(
            [first?.message, first?.why].compactMap { $0 }.joined(separator: "; "), help: first?.help)
        if message.isEmpty { message = "the file cannot be read" }
    }

    /// Creates a problem from an error of the runtime.
    package init(_ error: any Error) {
        if let problem = error as? StoreProblem {
            self = problem
            return
        }
        let error = error as NSError
        let reason = (error.userInfo["reason"] ?? error.userInfo[NSLocalizedFailureReasonErrorKey]) as? String
        self.init(reason.map { "\(error.localizedDescription) (\($0))" } ?? error.localizedDescription)
        if message.hasSuffix(".") { message.removeLast() }
        if error.code == NSPersistentStoreTimeoutError { isBusy = true }
    }
}
