internal import Diagnostics

/// The findings about the code that is generated from models.
extension CommandFindings {
    private static let generators = "`generate`, `build-target` and `momc --action generate`"
    private static let generatorsAndCompile = "`generate`, `build-target`, `momc` and `compile`"

    static let generating = [
        finding(
            .invalidName, code: "MC0101", title: "a name cannot be used in generated code or as a file name",
            explanation: """
                Names of models, entities, classes and properties become Swift declarations and file names. One that is \
                not an identifier, or that could leave the output folder, stops the command before anything is written. \
                `compile` reports it for version names that cannot be file names.
                """,
            fix: "Use letters, digits and underscores, beginning with a letter.", in: generatorsAndCompile),
        finding(
            .keywordName, code: "MC0102", title: "a property has the name of a Swift keyword",
            explanation:
                "The property is declared in backticks, as Xcode does. Code that uses it may need the backticks too.",
            fix: "No action is needed. Rename the property to avoid the backticks.", .note, in: generators),
        finding(
            .invalidType, code: "MC0103", title: "the custom class of an attribute is not a Swift type",
            explanation: """
                The custom class of a transformable attribute is copied into the generated code verbatim, so it must be \
                the name of a type: `UIColor`, `[String: Any]`, `Module.Shape`. A leading dot (“current product module”) \
                is dropped.
                """,
            fix: "Correct the type (Attribute ▸ Data Model inspector ▸ Custom Class).", in: generators),
        finding(
            .sourceLanguage, code: "MC0104", title: "the model is set to Objective-C",
            explanation: """
                modelc generates Swift unless `--language objc` is given, regardless of the language that is set in the \
                model.
                """,
            fix: "Generate with `--language objc`, or choose Swift (File inspector ▸ Code Generation ▸ Language).",
            .note, in: generators),
        finding(
            .noClassName, code: "MC0105", title: "an entity has a codegen mode but no custom class",
            explanation: "Nothing is generated for the entity; its objects are plain `NSManagedObject` instances.",
            fix: "Give it a class (Entity ▸ Data Model inspector ▸ Class ▸ Name).", .warning, in: generators),
        finding(
            .brokenTemplate, code: "MC0106", title: "a template cannot be parsed",
            explanation:
                "A tag is not closed, a section does not match its end, a name is unknown, or the file is larger than 1 MiB.",
            fix: "Correct the template; `modelc templates context MODEL` prints the available names.",
            in: "commands with `--templates`"),
        finding(
            .noTemplates, code: "MC0107", title: "the template folder has no templates",
            explanation: "Templates are files that end in `.mustache`.",
            fix: "Copy the built-in templates to the folder with `modelc templates eject FOLDER`.",
            in: "commands with `--templates`"),
        finding(
            .noSuchEntity, code: "MC0108", title: "the model has no entity of the requested name",
            explanation: "Entity names are case-sensitive.", fix: "Correct the name; the message lists the entities.",
            in: "`generate`, `graph`, `store diff` and `store export`"),
        finding(
            .invalidCodeOption, code: "MC0109",
            title: "an option or a userInfo key for generated code cannot be applied",
            explanation: """
                A key that changes generated code (Documentation/Guides/GeneratedSwift.md) is unknown, is set on an element that \
                it does not apply to, has an invalid value, contradicts another key, or names a type that the sources do \
                not declare or declare more than once. The keys are read only when a feature is requested with `--with` or \
                in `.modelc.yml`.
                """,
            fix: "Correct or remove the key.", in: generators),
        finding(
            .codeNameCollision, code: "MC0110",
            title: "an option for generated code gives two declarations the same name",
            explanation: """
                A declaration that a feature of `--with` adds would have the name of another one, so the code would not \
                compile.
                """,
            fix: "Rename the property, or generate without the feature.", in: generators),
        finding(
            .untypedVariable, code: "MC0111", title: "a variable of a fetch request template has no known type",
            explanation: """
                A parameter has the type of the attribute that its variable is compared with. If there is no such \
                attribute, or several of different types, the parameter has the type `Any`.
                """,
            fix: "No action is needed. Compare the variable with one attribute to give it a type.", .note,
            in: generators),
    ]
}
