internal import Diagnostics

/// The rules that are checked by the reader and up to the level `.loadable` (`ModelDocument.diagnostics`,
/// `Model.findings(at:)`).
enum ReaderRules {
    static let descriptions: [RuleDescription] = [
        RuleDescription(
            id: .notAModel, code: "MC1001", group: "structure",
            title: "the file is not a model",
            explanation: """
                The file is something else: a compiled model, a model of Xcode 3, or not XML at all.
                """,
            remedy: "Restore the model from version control.", defaultSeverity: .error),
        RuleDescription(
            id: .notWellFormed, code: "MC1002", group: "structure",
            title: "the XML of the model is broken",
            explanation: """
                Neither Xcode nor `momc` reads a file that is not well-formed XML. modelc checks the parts that it can \
                still read.
                """,
            remedy: "Correct the XML, or restore the file from version control.", defaultSeverity: .error),
        RuleDescription(
            id: .truncated, code: "MC1003", group: "structure",
            title: "the file ends before the model does",
            explanation: """
                A merge, an editor or a full disk truncated the file.
                """,
            remedy: "Restore the file from version control.", defaultSeverity: .error),
        RuleDescription(
            id: .conflictMarkers, code: "MC1004", group: "structure",
            title: "the file has markers of an unresolved merge",
            explanation: """
                `<<<<<<<` and the other markers are not XML, so Xcode cannot open the model. modelc skips the other \
                branch's side and checks the rest.
                """,
            remedy:
                """
                Resolve the conflict. `modelc` also reads models with conflicts, so it can check them before and after.
                """,
            defaultSeverity: .error),
        RuleDescription(
            id: .entityDeclaration, code: "MC1005", group: "structure",
            title: "the file declares XML entities",
            explanation: """
                Models need no entity declarations, which can be used for XML attacks. modelc never expands them.
                """,
            remedy: "Remove the document type declaration.", defaultSeverity: .error),
        RuleDescription(
            id: .tooDeep, code: "MC1006", group: "structure",
            title: "elements are nested too deeply",
            explanation: """
                No real model nests elements this deeply; the file was generated, or is an attack.
                """,
            remedy: """
                Check where the file comes from.
                """, defaultSeverity: .error),
        RuleDescription(
            id: .tooManyAttributes, code: "MC1007", group: "structure",
            title: "a tag has more attributes than any element of a model",
            explanation: """
                No element of a model has that many attributes; the file was generated, or is an attack.
                """,
            remedy: """
                Check where the file comes from.
                """, defaultSeverity: .error),
        RuleDescription(
            id: .unknownXML, code: "MC1008", group: "structure",
            title: "an element or attribute is unknown",
            explanation: """
                A newer Xcode or another tool wrote the name, or it is misspelled. Xcode drops unknown elements and \
                attributes when it saves.
                """,
            remedy: """
                Open and save the model with the Xcode that wrote it, or correct the spelling.
                """,
            defaultSeverity: .note),
        RuleDescription(
            id: .malformedValue, code: "MC1009", group: "structure",
            title: "a value does not fit its XML attribute",
            explanation: """
                A flag is neither YES nor NO, or a number is invalid. The value is ignored or read as NO.
                """,
            remedy: "Correct the value.", defaultSeverity: .warning),
        RuleDescription(
            id: .missingName, code: "MC1010", group: "structure",
            title: "a part of the model that is found by name has no name",
            explanation: """
                Core Data looks up everything by name.
                """,
            remedy: "Enter a name.", defaultSeverity: .error),
        RuleDescription(
            id: .duplicateName, code: "MC1011", group: "structure",
            title: "two parts of the model that are found by name have the same name",
            explanation: """
                Core Data looks up entities, properties, composite types and their elements, fetch requests, configurations \
                and the indexes of an entity by name, so only one of two with the same name could ever be used. Merging the lines of \
                a `contents` file makes such duplicates. An entity cannot redeclare an inherited property either. Two `userInfo` \
                entries with the same key are a warning.
                """,
            remedy: "Rename or remove one of them.", defaultSeverity: .error),
        RuleDescription(
            id: .unknownParent, code: "MC1012", group: "structure",
            title: "the parent of an entity is not in the model",
            explanation: """
                The parent was renamed or removed, or lost in a merge.
                """,
            remedy: "Choose another parent, or none.", defaultSeverity: .error),
        RuleDescription(
            id: .inheritanceCycle, code: "MC1013", group: "structure",
            title: "entities inherit from each other in a cycle",
            explanation: """
                Core Data cannot load a model with a cycle.
                """,
            remedy: "Give one of them another parent, or none.", defaultSeverity: .error),
        RuleDescription(
            id: .missingDestination, code: "MC2011", group: "relationships",
            title: "a relationship has no destination",
            explanation: """
                Core Data cannot load a relationship without a destination.
                """,
            remedy: "Choose a destination.", defaultSeverity: .error),
        RuleDescription(
            id: .unknownDestination, code: "MC2012", group: "relationships",
            title: "the destination of a relationship is not in the model",
            explanation: """
                The entity was renamed or removed, but the relationship still refers to it.
                """,
            remedy: "Choose another destination.", defaultSeverity: .error),
        RuleDescription(
            id: .unknownType, code: "MC1014", group: "structure",
            title: "an attribute has an unknown type",
            explanation: """
                The type is misspelled, or newer than this version of modelc.
                """,
            remedy: "Choose a type.", defaultSeverity: .error),
        RuleDescription(
            id: .noVersions, code: "MC1015", group: "structure",
            title: "the bundle contains no model version",
            explanation: """
                An `.xcdatamodeld` contains one `.xcdatamodel` folder for each version.
                """,
            remedy: "Restore the versions from version control.", defaultSeverity: .error),
        RuleDescription(
            id: .noCurrentVersion, code: "MC1016", group: "structure",
            title: "the bundle has several versions, none of which is current",
            explanation: """
                The version that the app is built with is unknown; `momc` rejects the bundle too.
                """,
            remedy: "Choose the current version (File inspector ▸ Model Version ▸ Current).", defaultSeverity: .error),
        RuleDescription(
            id: .currentVersionMissingFile, code: "MC1017", group: "structure",
            title: "the current version does not exist",
            explanation: """
                `.xccurrentversion` names a version that was renamed or removed.
                """,
            remedy: "Choose another current version.", defaultSeverity: .error),
        RuleDescription(
            id: .malformedCurrentVersion, code: "MC1018", group: "structure",
            title: "`.xccurrentversion` cannot be read",
            explanation: """
                The file is not a property list that contains a dictionary.
                """,
            remedy: "Choose the current version in Xcode again.", defaultSeverity: .error),
        RuleDescription(
            id: .inheritanceTooDeep, code: "MC1019", group: "structure",
            title: "an entity has too many ancestors",
            explanation: """
                A version hash covers the properties of all ancestors, so the cost of a chain grows with the square of \
                its length. modelc reads chains of up to 1000 ancestors; no real model has more than five.
                """,
            remedy: "Shorten the chain of parents.", defaultSeverity: .error),
        RuleDescription(
            id: .fileSystem, code: "MC1023", group: "structure",
            title: "a file or folder cannot be read",
            explanation: """
                A file or folder that cannot be read is not checked.
                """,
            remedy: "Check its permissions.", defaultSeverity: .error),
        RuleDescription(
            id: .fileTooLarge, code: "MC1024", group: "structure",
            title: "a file is larger than any model",
            explanation: """
                The largest real models are a few hundred kilobytes in size.
                """,
            remedy: """
                Check where the file comes from.
                """, defaultSeverity: .error),
        RuleDescription(
            id: .legacyBinaryVersion, code: "MC1026", group: "structure",
            title: "a version of a bundle is in the binary format of Xcode 3",
            explanation: """
                Xcode 3 saved models as the binary files `elements` and `layout`; only Xcode 4 to 13 can read them. \
                The version is skipped and the others are used. If it is the current version, or the only one, this is \
                an error.
                """,
            remedy: """
                Open and save the version with an Xcode from 4 to 13, or remove it if no stores of that version are \
                left.
                """,
            defaultSeverity: .warning),
        RuleDescription(
            id: .notUTF8, code: "MC1027", group: "structure", title: "the file is not valid text in its encoding",
            explanation: """
                Xcode writes models in UTF-8. Nothing after the first invalid byte can be read.
                """,
            remedy: "Save the file as UTF-8, or restore it from version control.", defaultSeverity: .error),
        RuleDescription(
            id: .unsupportedEncoding, code: "MC1028", group: "structure",
            title: "the file is not text in the encoding that it declares, or modelc does not know that encoding",
            explanation: """
                modelc reads UTF-8, UTF-16, UTF-32, ISO-8859-1 and US-ASCII, and keeps a file's encoding when it \
                rewrites the file. In other encodings it reads the ASCII characters and reports the first non-ASCII \
                byte.
                """,
            remedy: "Convert the file to UTF-8 and change its XML declaration.", defaultSeverity: .error),
        RuleDescription(
            id: .unusedSuppression, code: "MC1025", group: "structure",
            title: "a suppression suppresses nothing",
            explanation: """
                The `userInfo` entry `modelc.ignore` names a rule that reports nothing there, or that does not exist. \
                An entry that is left in place hides the next real finding.
                """,
            remedy: "Remove the entry, or correct the rule's name.", defaultSeverity: .warning),
    ]
}
