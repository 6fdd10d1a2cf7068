import Foundation

/// Depends on a source that depends on another.
func needsLamp(_ book: Book) -> Bool { book.theme == .night }
