internal import Diagnostics

/// The findings about the targets of packages.
extension CommandFindings {
    private static let plugin = "`build-target`, which the build plugin runs"

    static let building = [
        finding(
            .modelNotExcluded, code: "MC0301", title: "the target does not exclude its model",
            explanation: """
                Xcode would compile the model and generate its classes a second time, and SwiftPM would copy the source into the \
                bundle.
                """,
            fix: "Add the model to `exclude:` of the target in `Package.swift`.", in: plugin),
        finding(
            .duplicateModel, code: "MC0302", title: "the target has two models with the same name",
            explanation:
                "Both would be compiled to the same file. Names are compared case-insensitively, as Apple's file systems do.",
            fix: "Rename one of them.", in: plugin),
        finding(
            .duplicateSource, code: "MC0303", title: "the target excludes two sources with the same name",
            explanation: "The copies that modelc compiles instead would be the same file.",
            fix: "Rename one of them.", in: plugin),
        finding(
            .unknownManagedProperty, code: "MC0304", title: "an `@NSManaged` property is not in the model",
            explanation: "Using the property traps.", fix: "Add it to the model, or remove `@NSManaged`.", .warning,
            in: plugin),
        finding(
            .unknownManagedFunction, code: "MC0305", title: "an `@NSManaged` function is not an accessor of the model",
            explanation: "Only the to-many accessors of relationships, such as `addToBooks(_:)`, can be given a body.",
            fix: "Implement the function, or put it between `#if canImport(ObjectiveC)` and `#endif`.", in: plugin),
        finding(
            .unsupportedManagedProperty, code: "MC0306", title: "an `@NSManaged` property cannot be given accessors",
            explanation: "The symbol that the Swift compiler gives the property cannot be determined from the source.",
            fix: "Exclude the source from the target, or implement the accessors.", in: plugin),
        finding(
            .unsupportedManagedFunction, code: "MC0307", title: "an `@NSManaged` function cannot be given a body",
            explanation: "The symbol that the Swift compiler gives the function cannot be determined from the source.",
            fix: "Exclude the source from the target, or implement the function.", in: plugin),
        finding(
            .objectiveCAttribute, code: "MC0308", title: "a source uses an Objective-C attribute",
            explanation: "`@objc` and related attributes do not compile on Linux.",
            fix: "Exclude the source from the target; modelc compiles a copy without the attribute.", in: plugin),
        finding(
            .overrideInExtension, code: "MC0309",
            title: "a member in an extension overrides one of the class's superclass",
            explanation: """
                Without Objective-C, Swift cannot override members in extensions. In copies of excluded sources the \
                override moves into the class, if modelc generates the class or copies its source too.
                """,
            fix: "Exclude both sources from the target, or move the member into the class.", in: plugin),
        finding(
            .sourceStaysExcluded, code: "MC0310", title: "an excluded source is not copied",
            explanation: """
                The source needs a framework that is not available on Linux, or contains code that cannot be rewritten.
                """,
            fix: "Make the edit that the message names, or compile the source on Apple's platforms only.", .note,
            in: plugin),
        finding(
            .needsManualEdit, code: "MC0311",
            title: "a source that the model needs has code that cannot be rewritten for Linux",
            explanation:
                "Selectors of unknown classes, optional requirements with a result and Apple-only frameworks have no counterpart on Linux.",
            fix: "Edit the line, or put it between `#if canImport(ObjectiveC)` and `#endif`.", in: plugin),
        finding(
            .fetchRequestCast, code: "MC0312", title: "a fetch request is cast to one of another result type",
            explanation: """
                Swift's generic classes cannot be cast to each other without Objective-C: `as!` traps, and `as?` returns \
                `nil`.
                """,
            fix:
                "Exclude the source, so that a copy that converts the request is compiled on Linux. Or create the request with the type that is needed: `NSFetchRequest<Book>(entityName: \"Book\")`.",
            .warning,
            in: plugin),
        finding(
            .uncalledKeyMethod, code: "MC0313",
            title: "a `validate<Key>` or `keyPathsForValuesAffecting<Key>` member is not called",
            explanation: """
                The build plugin registers these members for the runtime, but cannot refer to private members, members of \
                local classes, or members with other parameters.
                """,
            fix: "Make the member internal, with the parameters that Core Data documents.", .warning, in: plugin),
        finding(
            .manifestNotEditable, code: "MC0314", title: "a package manifest cannot be edited safely",
            explanation: """
                `prepare-for-linux` modifies the `Package` that the manifest creates, and needs to find its constant and \
                its targets. Nothing was written.
                """,
            fix: "Add the printed lines to the manifest.", in: "`prepare-for-linux`"),
        finding(
            .noSources, code: "MC0315", title: "there are no Swift files or models at the given path",
            explanation: "Hidden folders, Pods, Carthage and DerivedData are skipped.",
            fix: "Specify the folder of a package or an app.", in: "`port`"),
        finding(
            .packageSetup, code: "MC0316", title: "a package is not set up to use modelc",
            explanation: """
                A target with a model needs an `exclude:` entry for it, the build plugin and the product CoreData on \
                Linux; building needs a toolchain and system libraries that modelc supports.
                """,
            fix: "Make the change that the message names.", in: "`doctor`"),
        finding(
            .noSuchTarget, code: "MC0317", title: "the manifest or project does not declare the target",
            explanation: "Targets are read from the literals in Package.swift, and from project.pbxproj.",
            fix: "Correct the name, or specify a target with `--target`.",
            in: "`init` and commands that read Swift sources"),
        finding(
            .mainActorTest, code: "MC0318", title: "a synchronous test is isolated to the main actor",
            explanation: """
                On Linux, XCTest lists tests as functions without an actor. A class whose tests are synchronous methods of the main actor \
                ends the program, so that none of the target's tests runs.
                """,
            fix:
                "Exclude the source, so that a copy whose tests run on the main actor is compiled on Linux. Or declare the test `async`.",
            .warning, in: plugin),
    ]
}
