internal import CCoreDataSupport
internal import Foundation

/// Provides useful descriptions for Foundation's own predicates.
///
/// On Linux, the `description` of `NSCompoundPredicate` and of `NSPredicate(value:)` is the name of the class and an
/// address, and the `predicateFormat` of every compound is `FALSEPREDICATE`. Initializers of Foundation's classes
/// cannot be replaced, so programs have instances of these very classes; their implementations of `description` and
/// `predicateFormat` are replaced instead. If that fails, Foundation's texts are used.
enum PrintedPredicates {
    private class DescribedCompound: NSCompoundPredicate {
        override var description: String { tree.format }
    }

    private class FormattedCompound: NSCompoundPredicate {
        override var predicateFormat: String { tree.format }
    }

    private class PlainCompound: NSCompoundPredicate {}

    private class DescribedPredicate: NSPredicate {
        override var description: String { tree.format }
    }

    private class PlainPredicate: NSPredicate {}

    private static let isPrepared: Bool = {
        let compound = replace(NSCompoundPredicate.self, overriding: DescribedCompound.self, plain: PlainCompound.self)
        let format = replace(NSCompoundPredicate.self, overriding: FormattedCompound.self, plain: PlainCompound.self)
        let predicate = replace(NSPredicate.self, overriding: DescribedPredicate.self, plain: PlainPredicate.self)
        return compound && format && predicate
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
