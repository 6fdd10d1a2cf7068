/// The objects that handles stand for.
extension ObjectHandle {
    var object: NSManagedObject { unsafeDowncast(reference, to: NSManagedObject.self) }
}

extension ObjectChange {
    /// The object, which the context retains until its save is over.
    final var object: NSManagedObject { unsafeDowncast(reference, to: NSManagedObject.self) }
}
