extension Array where Element: AnyObject {
    /// Calls a function with each object until it returns `false`. The objects are not retained, because the array
    /// retains them.
    @inlinable @inline(__always)
    package func allSatisfyUncounted(_ body: (Element) -> Bool) -> Bool {
        withUnsafeBytes { objects in
            for object in objects.bindMemory(to: Unmanaged<Element>.self) {
                guard object._withUnsafeGuaranteedRef(body) else { return false }
            }
            return true
        }
    }

    /// Calls a function with each object. The objects are not retained, because the array retains them; it must not
    /// change during the iteration. Use a local array if the function runs application code.
    @inlinable @inline(__always)
    package func forEachUncounted(_ body: (Element) throws -> Void) rethrows {
        try withUnsafeBytes { objects in
            for object in objects.bindMemory(to: Unmanaged<Element>.self) {
                try object._withUnsafeGuaranteedRef { try body($0) }
            }
        }
    }

    /// Returns the objects that satisfy a condition, or the array itself if all of them do.
    @inlinable @inline(__always)
    package func filterUncounted(_ isIncluded: (Element) -> Bool) -> [Element] {
        if allSatisfyUncounted(isIncluded) { return self }
        var result: [Element] = []
        forEachUncounted { if isIncluded($0) { result.append($0) } }
        return result
    }
}
