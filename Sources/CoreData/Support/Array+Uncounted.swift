extension Array where Element: AnyObject {
    /// Calls a function with each object until it gives false. The objects' references are not counted: the array has them.
    @inline(__always)
    func allSatisfyUncounted(_ body: (Element) -> Bool) -> Bool {
        withUnsafeBytes { objects in
            for object in objects.bindMemory(to: Unmanaged<Element>.self) {
                guard object._withUnsafeGuaranteedRef(body) else { return false }
            }
            return true
        }
    }
}
