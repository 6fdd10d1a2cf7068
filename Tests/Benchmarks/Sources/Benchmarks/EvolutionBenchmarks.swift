/// `modelc migrate check` as a whole process, against a program that only parses the same files.
enum EvolutionBenchmarks {
    static func all(_ workspace: Workspace, rounds: Int) -> [Benchmark] {
        [
            Benchmark(
                name: "migrate/check", size: "100 versions of 100 entities", rounds: max(2, rounds / 3),
                ours: {
                    let bundle = try workspace.writeVersions(Amount.entities(100), entities: Amount.entities(100))
                        .bundle
                    return try Subprocess.time(workspace.modelc, ["migrate", "check", bundle], mayFind: true)
                },
                reference: {
                    let files = try workspace.writeVersions(Amount.entities(100), entities: Amount.entities(100)).files
                    return try Subprocess.time("/usr/bin/xmllint", ["--noout"] + files)
                }, referenceName: "xmllint --noout")
        ]
    }
}
