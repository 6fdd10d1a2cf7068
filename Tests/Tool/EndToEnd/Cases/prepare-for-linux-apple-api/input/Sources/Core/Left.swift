import CoreData

@objc class Left: NSObject {
    func f(_ store: Any) {
        store.perform(#selector(store.save))
    }
}
