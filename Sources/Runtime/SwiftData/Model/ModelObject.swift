internal import CCoreDataSupport
internal import CoreData

/// The object that holds the values of a model in a context.
final class ModelObject: NSManagedObject {
    @exclusivity(unchecked) private var link = ModelLink()

    /// The model, whose values retain this object. Other threads may release the last reference to it at any time.
    var model: AnyObject? {
        get { link.model }
        set { link.model = newValue }
    }

    deinit { link.model = nil }

    /// The values of the model, if it is in memory.
    var core: _ModelCore? { (model as? any PersistentModel)?.core }
}

/// A reference to a model that does not retain it, and is `nil` once its destruction has begun. Its owner sets it to
/// `nil` at the end.
///
/// A Swift weak reference would give the model a side table, which takes time to make, and slows down all of its
/// reference counting. An unowned reference does not, and keeps the memory of a destroyed model, so that
/// `cd_try_retain` can read its reference count.
struct ModelLink {
    /// The model, with one unowned reference. As a property with `unowned`, reflection would read it, and trap after
    /// the model was destroyed.
    private var location: UnsafeMutableRawPointer?

    private struct Reference {
        unowned let model: AnyObject
    }

    /// The retained model.
    var model: AnyObject? {
        get { location.flatMap { cd_try_retain($0) }.map { Unmanaged<AnyObject>.fromOpaque($0).takeRetainedValue() } }
        set {
            let old = location
            location = newValue.map { Unmanaged.passUnretained($0).toOpaque() }
            withUnsafeTemporaryAllocation(of: Reference.self, capacity: 1) { buffer in
                // The reference that is made here stays without being destroyed, and is destroyed here with the next.
                if let newValue { buffer.initializeElement(at: 0, to: Reference(model: newValue)) }
                guard let old else { return }
                UnsafeMutableRawBufferPointer(buffer).storeBytes(of: old, as: UnsafeMutableRawPointer.self)
                buffer.deinitializeElement(at: 0)
            }
        }
    }
}
