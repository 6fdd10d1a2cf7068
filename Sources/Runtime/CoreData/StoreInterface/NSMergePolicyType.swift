/// The ways to resolve conflicts between two contexts that saved the same object. Raw values equal Apple's.
///
/// ```swift
/// context.mergePolicy = NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
/// ```
public enum NSMergePolicyType: UInt, Sendable {
    /// The save fails.
    case errorMergePolicyType = 0
    /// For each property that both have changed, the store wins.
    case mergeByPropertyStoreTrumpMergePolicyType = 1
    /// For each property that both have changed, the context wins.
    case mergeByPropertyObjectTrumpMergePolicyType = 2
    /// The context wins as a whole.
    case overwriteMergePolicyType = 3
    /// The store wins as a whole: the context's changes are lost.
    case rollbackMergePolicyType = 4
}
