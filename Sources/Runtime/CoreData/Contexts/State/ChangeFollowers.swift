/// Results that follow the changes of a context. They also need saved changes to objects that are not in the context
/// yet, which may now belong to the results.
protocol ChangeFollower: AnyObject {
    /// Returns whether objects of an entity hierarchy may belong to the results.
    func isTracking(_ rootName: String) -> Bool
}

/// The followers of a context, which it references weakly.
struct ChangeFollowers {
    private struct WeakFollower {
        weak var follower: (any ChangeFollower)?
    }

    private var followers: [WeakFollower] = []

    mutating func add(_ follower: any ChangeFollower) {
        followers.removeAll { $0.follower == nil }
        followers.append(WeakFollower(follower: follower))
    }

    /// Whether there are any.
    var isEmpty: Bool { followers.isEmpty }

    /// Returns whether objects of an entity hierarchy may belong to the results of a follower.
    func areTracking(_ rootName: String) -> Bool { followers.contains { $0.follower?.isTracking(rootName) == true } }
}
