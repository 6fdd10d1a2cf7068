extension Array {
    /// Applies the offset and the limit of a request.
    mutating func applyRange(of request: FetchSettings) {
        if request.fetchOffset > 0 { removeFirst(Swift.min(request.fetchOffset, count)) }
        if request.fetchLimit > 0 { removeLast(Swift.max(0, count - request.fetchLimit)) }
    }
}
