package import ArgumentParser

/// `modelc format`: lays models out as Xcode saves them.
package struct FormatCommand: DriverCommand {
    package static let configuration = CommandConfiguration(
        commandName: "format", abstract: "Lay models out as Xcode saves them.",
        discussion: """
            Order of elements and XML attributes, indentation, escapes, no line feed at the end: after a merge, a \
            script or a manual edit, the file is as Xcode would have written it. No value changes, and comments stay. \
            A file with conflict markers or other damage is reported and left alone.

            EXAMPLES
              modelc format
                  Every model below the working directory, in place.
              modelc format --check
                  In CI: fail and name the files that are not formatted.
              modelc format App/Books.xcdatamodeld --diff

            EXIT CODES
              0  Done, or with --check: every file is formatted.
              1  A file could not be formatted, or with --check: is not formatted.
              2  The command could not run: wrong arguments, no model.
            """
    )

    @OptionGroup var search: ModelSearchArguments

    @Flag(name: .customLong("check"), help: "Write nothing; fail when a file is not formatted.")
    var isCheck = false

    @Flag(name: .customLong("diff"), help: "Write nothing; print the changes.")
    var showsDiff = false

    package init() {}
}
