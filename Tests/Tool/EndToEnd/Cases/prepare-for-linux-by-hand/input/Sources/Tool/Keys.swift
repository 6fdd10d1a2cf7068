import CoreData

extension Tool {
    static let key = #keyPath(A.b)
}
