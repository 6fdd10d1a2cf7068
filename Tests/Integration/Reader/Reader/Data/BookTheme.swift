import Foundation

/// Has no import that Linux lacks, and depends on a source that has one.
extension Book {
    var theme: Theme { pages > 500 ? .night : .paper }
}
