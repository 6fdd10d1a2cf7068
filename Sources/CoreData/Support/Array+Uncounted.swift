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

    /// Calls a function with each object, whose references are not counted: the array has them, and must not change meanwhile. Use
    /// a local array if the function runs code of the app.
    @inline(__always)
    func forEachUncounted(_ body: (Element) throws -> Void) rethrows {
        try withUnsafeBytes { objects in
            for object in objects.bindMemory(to: Unmanaged<Element>.self) {
                try object._withUnsafeGuaranteedRef { try body($0) }
            }
        }
    }

    /// Returns the objects that satisfy a condition: the array itself if all do.
    @inline(__always)
    func filterUncounted(_ isIncluded: (Element) -> Bool) -> [Element] {
        if allSatisfyUncounted(isIncluded) { return self }
        var result: [Element] = []
        forEachUncounted { if isIncluded($0) { result.append($0) } }
        return result
    }
}
