internal import CCoreDataSupport
internal import Foundation

/// Provides descriptions and hashes for Foundation's own predicates.
///
/// On Linux, the `description` of `NSCompoundPredicate` and of `NSPredicate(value:)` is the name of the class and an
/// address, the `predicateFormat` of every compound is `FALSEPREDICATE`, and equal predicates have different hashes.
/// Initializers of Foundation's classes cannot be replaced, so programs have instances of these very classes; their
/// implementations of these methods are replaced instead. If that fails, Foundation's are used.
enum PrintedPredicates {
    private class DescribedCompound: NSCompoundPredicate {
        override var description: String { tree.format }
    }

    private class FormattedCompound: NSCompoundPredicate {
        override var predicateFormat: String { tree.format }
    }

    private class ComparedCompound: NSCompoundPredicate {
        override func isEqual(_ object: Any?) -> Bool { isEqualCompound(object) }
    }

    private class HashedCompound: NSCompoundPredicate {
        override var hash: Int { TreeIdentity(tree).hashValue }
    }

    private class PlainCompound: NSCompoundPredicate {}

    private class DescribedPredicate: NSPredicate {
        override var description: String { tree.format }
    }

    private class HashedPredicate: NSPredicate {
        // Blocks are equal only if they are identical.
        override var hash: Int { constantAnswer?.hashValue ?? ObjectIdentifier(self).hashValue }
    }

    private class PlainPredicate: NSPredicate {}

    private static let isPrepared: Bool = {
        let compounds: [AnyClass] = [
            DescribedCompound.self, FormattedCompound.self, ComparedCompound.self, HashedCompound.self,
        ]
        let predicates: [AnyClass] = [DescribedPredicate.self, HashedPredicate.self]
        // All of them, even if one fails.
        let areReplaced =
            compounds.map { replace(NSCompoundPredicate.self, overriding: $0, plain: PlainCompound.self) }
            + predicates.map { replace(NSPredicate.self, overriding: $0, plain: PlainPredicate.self) }
        return areReplaced.allSatisfy(\.self)
    }()

    /// Replaces the implementations, once for the process.
    static func prepare() { _ = isPrepared }

    private static func replace(_ type: AnyClass, overriding: AnyClass, plain: AnyClass) -> Bool {
        let metadata = unsafeBitCast(type, to: UnsafeMutableRawPointer.self)
        let changed = unsafeBitCast(overriding, to: UnsafeRawPointer.self)
        let position = cd_method_place(metadata, changed, unsafeBitCast(plain, to: UnsafeRawPointer.self))
        return position != 0 && cd_replace_method(metadata, changed, position)
    }
}
