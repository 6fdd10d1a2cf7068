package import Diagnostics
package import ModelSchema
internal import SwiftSources

/// Rewrites sources for Apple's platforms so that they compile on Linux.
///
/// Every line keeps its number, and all other code is preserved byte for byte. A rewriter knows all sources of a
/// target, since an extension in one file can override members of a class in another.
package struct SourceRewriter: Sendable {
    /// A change of some bytes of a source.
    package struct Edit: Hashable, Sendable {
        /// The kinds of changes.
        package enum Kind: String, Hashable, Sendable, CaseIterable {
            /// An `@NSManaged` declaration gets accessors, or a function its body.
            case accessors = "@NSManaged accessors"
            /// An attribute such as `@objc` is removed.
            case attribute = "Objective-C attribute"
            /// A byte order mark or an interpreter line is removed.
            case encoding
            /// A cast to `NSFetchRequest<Book>` becomes a conversion.
            case fetchRequestCast = "fetch request cast"
            /// `import UIKit` becomes `import Foundation` in a source that does not use UIKit.
            case importDeclaration = "import"
            /// `#keyPath` becomes a string literal.
            case keyPath = "#keyPath"
            /// An override of `observeValue(forKeyPath:of:change:context:)` becomes a method of a protocol.
            case keyValueObserver = "key-value observer"
            /// A test on the main actor runs its body there, and is not isolated itself.
            case mainActorTest = "test on the main actor"
            /// An optional requirement gets a default implementation, and is called without a question mark.
            case optionalRequirement = "optional requirement"
            /// A member of an extension that overrides another moves into the class.
            case override = "override in an extension"
            /// `@objc protocol P` becomes a protocol of classes.
            case protocolDeclaration = "@objc protocol"
            /// An expression of Foundation becomes one that works on Linux, such as `Bundle(for:)`.
            case renamedExpression = "Foundation API"
            /// An initializer becomes `required`, or is added.
            case requiredInitializer = "required initializer"
            /// `#selector` becomes a `Selector` with the method.
            case selector = "#selector"
        }

        /// The kind of change.
        package var kind: Kind
        /// The bytes of the source that are replaced; empty for an insertion.
        package var range: Range<Int>
        /// The replacement.
        package var text: String
    }

    /// A rewritten source.
    package struct Result: Sendable {
        /// The text for Linux.
        package var text: String
        /// The changes, in the order of the source and without overlaps.
        package var edits: [Edit]
        /// The constructs that must be edited manually. An error keeps the source from compiling on Linux.
        package var notes: [Diagnostic]
    }

    /// The module that the sources are compiled into.
    package var moduleName: String { target.moduleName }

    let target: TargetSources
    let bodies: AccessorBodies

    /// The module that copies import in place of Combine, and the one that is sufficient without Foundation's
    /// publishers.
    package static var combineModules: [String] { FrameworkReplacement.combine }

    /// Creates a rewriter.
    ///
    /// - Parameters:
    ///   - moduleName: The module that the sources are compiled into.
    ///   - models: The models of the target.
    ///   - sources: The sources of the target. Excluded ones are rewritten, the others are compiled unchanged.
    ///   - availableModules: The modules of other packages that the target can import and that replace Apple's.
    package init(
        moduleName: String, models: [Model], sources: [ManagedSource], availableModules: Set<String> = []
    ) {
        target = TargetSources(
            moduleName: moduleName, models: models, sources: sources, availableModules: availableModules)
        bodies = AccessorBodies(models: models)
    }

    /// Rewrites a single text, without a model.
    ///
    /// - Parameters:
    ///   - text: The source.
    ///   - path: The source's path, which notes name.
    package static func rewrite(_ text: String, path: String = "Source.swift") -> Result {
        let source = ManagedSource(path: path, bytes: Array(text.utf8), isExcluded: true)
        return SourceRewriter(moduleName: "", models: [], sources: [source]).rewrite(source)
    }

    package func rewrite(_ source: ManagedSource) -> Result {
        var edits = SourceEdits(source: source, target: target, bodies: bodies)
        edits.collect()
        let result = Self.applying(edits.edits, to: source.bytes)
        return Result(
            text: String(decoding: result.bytes, as: UTF8.self), edits: result.edits,
            notes: SourceProblems(source: source, target: target).notes)
    }

    /// Applies edits. Of overlapping ones, applies the first.
    private static func applying(_ edits: [Edit], to bytes: [UInt8]) -> (bytes: [UInt8], edits: [Edit]) {
        var result: [UInt8] = []
        var made: [Edit] = []
        var location = 0
        // The offset keeps the order of insertions at the same location.
        let ordered = edits.enumerated().sorted {
            ($0.element.range.lowerBound, $0.element.range.upperBound, $0.offset)
                < ($1.element.range.lowerBound, $1.element.range.upperBound, $1.offset)
        }
        for (_, edit) in ordered where edit.range.lowerBound >= location && edit.range.upperBound <= bytes.count {
            result += bytes[location..<edit.range.lowerBound]
            result += Array(edit.text.utf8)
            location = edit.range.upperBound
            made.append(edit)
        }
        result += bytes[location...]
        return (result, made)
    }
}
