import CoreData
import Foundation

private var count: Int64 = 1

@objc
extension Notebook {
    override public func willSave() {
        super.willSave()
        guard changedValues()[#keyPath(saves)] == nil, !isDeleted else { return }
        saves += count
    }

    override public func didSave() {
        super.didSave()
        observer?.notebookWasSaved(self)
    }

    public override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        switch key {
        case "title": return [#keyPath(Notebook.name), #keyPath(Notebook.entries)]
        default: return super.keyPathsForValuesAffectingValue(forKey: key)
        }
    }
}
