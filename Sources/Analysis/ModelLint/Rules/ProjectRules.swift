internal import Diagnostics

/// The findings about how a package or an Xcode project treats a model. `LintSession` and `modelc check` report them.
enum ProjectRules {
    static let descriptions = [
        RuleDescription(
            id: .modelNotCompiled, code: "MC8004", group: "sources",
            title: "a package declares a model as a resource",
            explanation: """
                Xcode compiles a model in a target's folder without any rule. A rule `.copy` copies the source, and with a rule \
                `.process` Xcode 27 no longer compiles it: the app finds no `.momd`, and stops when it loads the model. SwiftPM on \
                Linux copies the source in either case.
                """,
            remedy: "Remove the rule. For Linux, exclude the model and use `ModelcBuildPlugin`.",
            defaultSeverity: .warning),
        RuleDescription(
            id: .modelInNoTarget, code: "MC8005", group: "sources",
            title: "a model belongs to no target",
            explanation: """
                The model is below the folder of a package or an Xcode project, and none of its targets contains it, so that no \
                build compiles it. Folders with a project of another kind, such as `project.yml`, `Project.swift`, `BUILD` or a \
                podspec, are not checked, nor are manifests that compute their targets.
                """,
            remedy: "Add the model to a target, or delete it.", defaultSeverity: .warning),
    ]
}
