internal import Diagnostics

/// The findings about the files and the arguments of commands.
extension CommandFindings {
    private static let anyCommand = "any command that reads a model"

    static let running = [
        finding(
            .noSuchFile, code: "MC0401", title: "there is no such file or folder",
            explanation: "Nothing was read or written.",
            fix: "Check the path.", in: anyCommand),
        finding(
            .noModels, code: "MC0402", title: "there are no models at the given paths",
            explanation:
                "Folders are searched for `.xcdatamodeld` and `.xcdatamodel`; Pods, Carthage and DerivedData are skipped.",
            fix: "Specify a folder that contains a model, or the model itself.", in: "`lint` and `format`"),
        finding(
            .noSuchVersion, code: "MC0403", title: "the model has no version of the requested name",
            explanation: "Version names are case-sensitive and may be given with or without `.xcdatamodel`.",
            fix: "Correct the name; the message lists the versions.", in: "commands with `--version`"),
        finding(
            .fileExists, code: "MC0404", title: "a file that would be written already exists",
            explanation: "Nothing was written.", fix: "Choose another path, or move the file away.",
            in: "`decompile` and `templates eject`"),
        finding(
            .configuration, code: "MC0405", title: "the settings file is invalid",
            explanation: """
                `.modelc.yml` is a mapping with the keys that `modelc lint --help` lists. It may use the YAML subset that \
                `Documentation/Guides/ContinuousIntegration.md` describes; anything else is an error.
                """,
            fix: "Correct the line that the message points to.", in: "`lint`, `format` and `build-target`"),
        finding(
            .unknownRule, code: "MC0406", title: "the rule does not exist",
            explanation: "Rules are named by identifier or code, case-insensitively.",
            fix: "`modelc rules` lists the rules.",
            in: "`lint` and `explain`"),
        finding(
            .malformedBaseline, code: "MC0407", title: "the baseline is invalid",
            explanation: "A baseline is written by `modelc lint --write-baseline` and merges line by line.",
            fix: "Rewrite it with `--write-baseline`.", in: "`lint`"),
        finding(
            .format, code: "MC0408", title: "a file is not laid out as Xcode saves it",
            explanation: "Xcode reformats the file with the next change, which produces unrelated differences.",
            fix: "Run `modelc format`; `--diff` shows the changes.", in: "`format --check` and `check`"),
        finding(
            .mergeConflict, code: "MC0409", title: "both sides of a merge changed the same part of a model",
            explanation: "The file contains both versions, between conflict markers.",
            fix: "Resolve the conflict in the file.",
            in: "`merge-driver`"),
        finding(
            .rewriteMismatch, code: "MC0410", title: "a rewritten file would not have the same content",
            explanation: """
                Every rewritten file is read back and compared with the original before it replaces it. This finding \
                indicates a bug in modelc; the file was not changed.
                """,
            fix: "Report it with the file.", in: "`format`, `lint --fix` and `merge-driver`"),
        finding(
            .cannotEncode, code: "MC0411", title: "the file's encoding lacks a character that would be written",
            explanation: "Files keep their encoding when they are rewritten. The file was not changed.",
            fix: "Convert the file to UTF-8.", in: "`format`, `lint --fix` and `merge-driver`"),
        finding(
            .sourceMismatch, code: "MC0412", title: "a source cannot express everything in the compiled model",
            explanation: """
                The reconstructed source is read back before it is written. It did not compile to the same model: a name \
                or string may contain characters that XML does not allow.
                """,
            fix: "Inspect the compiled model with `modelc inspect`.", in: "`decompile`"),
        finding(
            .staleGeneratedCode, code: "MC0413", title: "a generated file does not match its model",
            explanation: """
                The file has the header of `modelc generate`, and generating the code of the model again gives another text, \
                whichever style and access level are used. Code that was generated with `--with` or `--templates` on the \
                command line is recognized only if `.modelc.yml` has the same settings.
                """,
            fix: "Run `modelc generate`, with the options that the code was generated with.", in: "`check`"),
    ]
}
