/// The object of a saving context that a change is about, as stores see it: they pass it on, but know nothing of it.
///
/// `Objects` gives it its type, for the context and for custom stores, whose interface takes objects.
package struct ObjectHandle: @unchecked Sendable {
    /// The object, which errors name under `NSAffectedObjectsErrorKey`.
    package let reference: AnyObject
}

/// A new object that needs a permanent ID.
package struct NewObject {
    package unowned(unsafe) let layout: EntityLayout
    /// The object, which the caller retains.
    unowned(unsafe) private let reference: AnyObject

    init(_ layout: EntityLayout, _ reference: AnyObject) {
        self.layout = layout
        self.reference = reference
    }

    package var handle: ObjectHandle { ObjectHandle(reference: reference) }
}
