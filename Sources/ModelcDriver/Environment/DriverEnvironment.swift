/// Everything that a command may touch: files, the two output streams and what it is told of the terminal.
///
/// Commands are functions of their options and this, so that tests run them without a process. Not for use from several
/// threads at once.
public struct DriverEnvironment {
    /// The files.
    public var files: any FileSystem
    /// Takes what a command prints for machines and pipes.
    public var output: (String) -> Void
    /// Takes what a command prints for people: findings and summaries.
    public var errorOutput: (String) -> Void
    /// Whether findings on the stream for people are printed in colours.
    public var usesColor: Bool
    /// Whether what goes to the output stream for people to read is printed in colours.
    public var outputUsesColor: Bool

    /// Makes an environment.
    public init(
        files: any FileSystem, output: @escaping (String) -> Void, errorOutput: @escaping (String) -> Void,
        usesColor: Bool, outputUsesColor: Bool = false
    ) {
        self.files = files
        self.output = output
        self.errorOutput = errorOutput
        self.usesColor = usesColor
        self.outputUsesColor = outputUsesColor
    }
}
