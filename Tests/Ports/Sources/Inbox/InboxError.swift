/// SwiftPM needs a source that is not excluded.
enum InboxError: Error {
    case closed
}
