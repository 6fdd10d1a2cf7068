internal import CodeGeneration
internal import Diagnostics
internal import ModelLint
internal import ModelSchema
internal import ModelSource

/// Compares committed code that modelc generated with what it would generate now.
///
/// A generated file names its model, and not the options that it was generated with. Those options are used that leave
/// the least difference.
struct GeneratedCodeCheck {
    let settings: RunSettings
    let files: any FileSystem

    /// The maximum size of a generated file, in bytes.
    private static let sizeLimit = 16 << 20

    /// The generated files of a model in a folder.
    private struct Group {
        var model: CheckInput.Model
        var folder: String
        var mode: GenerationOptions.Mode
        /// The contents, by file name. Git may have changed their line ends.
        var texts: [String: [UInt8]] = [:]
    }

    /// Code that was generated with one choice of options.
    private struct Candidate {
        var options: GenerationOptions
        var generated: [GeneratedFile]
        /// The number of lines that only one side has.
        var distance: Int
        var equalCount: Int
    }

    /// Returns the findings about generated files.
    func findings(_ paths: [String], _ models: [CheckInput.Model]) throws(InputFailure) -> [Diagnostic] {
        var generation = GenerationSettings()
        let groups = groups(paths, models)
        guard !groups.isEmpty else { return [] }
        generation = try generation.completed(by: settings.path, files)
        var result: [Diagnostic] = []
        for group in groups { result += try findings(group, generation) }
        return result
    }

    private func groups(_ paths: [String], _ models: [CheckInput.Model]) -> [Group] {
        var groups: [[String]: Group] = [:]
        for path in paths {
            guard case .file(let size)? = files.kind(of: path), size <= Self.sizeLimit,
                let bytes = try? files.read(path)
            else { continue }
            let (name, folder) = (PathName.name(of: path), PathName.parent(of: path))
            let head = String(decoding: bytes.prefix(GeneratedHeader.length), as: UTF8.self)
            guard case .modelc(let origin) = GeneratedHeader.owner(of: head, fileName: name),
                let model = nearest(models.filter { PathName.name(of: $0.path) == origin }, to: folder)
            else { continue }
            let source = GenerationSource(modelName: PathName.stem(of: origin), fileName: origin)
            let isManual = GeneratedHeader.isOwn(head, fileName: name, source: source, mode: .manual)
            let key = [folder, model.path, isManual ? "manual" : ""]
            groups[key, default: Group(model: model, folder: folder, mode: isManual ? .manual : .build)]
                .texts[name] = TextLines.withLineFeeds(bytes)
        }
        return groups.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value)
    }

    /// Returns the model that shares the most folders with a folder.
    private func nearest(_ models: [CheckInput.Model], to folder: String) -> CheckInput.Model? {
        func shared(_ model: CheckInput.Model) -> Int {
            zip(model.path.split(separator: "/"), folder.split(separator: "/")).prefix { $0 == $1 }.count
        }
        return models.max { shared($0) < shared($1) }
    }

    private func findings(_ group: Group, _ settings: GenerationSettings) throws(InputFailure) -> [Diagnostic] {
        guard case .success(let set) = group.model.set, let source = set.source,
            let input = try? source.input(version: nil), !input.document.diagnostics.hasErrors,
            input.document.findings(at: .compiles).errors.isEmpty,
            let best = try candidate(for: group, input, settings)
        else { return [] }
        var result: [Diagnostic] = []
        let command = command(group, best.options)
        // Other files show that the options are right.
        let isCertain = best.equalCount > 0 || group.texts.count == 1
        func report(_ name: String, message: String, line: Int?) {
            let path = PathName.joined(group.folder, name)
            let location = line.map { SourcePosition(line: $0, column: 1) }
            var diagnostic = Diagnostic(
                isCertain ? .error : .warning, rule: .staleGeneratedCode, message, file: path,
                range: location.map { SourceRange(start: $0, end: $0) },
                why: isCertain
                    ? "The code and the model disagree, so the app may not compile, or may trap at run time."
                    : "No file matches, so the code may have been generated with options that .modelc.yml does not have.",
                help: "Run “\(command)”.")
            diagnostic.command = command
            diagnostic.element = ElementPath(model: set.name, version: nil, components: [], kind: "model")
            result.append(diagnostic)
        }
        let requested = Dictionary(best.generated.map { ($0.name, $0) }) { first, _ in first }
        for (name, old) in group.texts.sorted(by: { $0.key < $1.key }) {
            guard let file = requested[name] else {
                report(name, message: "the model no longer needs the generated file", line: nil)
                continue
            }
            let new = Array(file.text.utf8)
            guard file.isRegenerated, old != new else { continue }
            let same = zip(old, new).prefix { $0 == $1 }.count
            report(
                name, message: "the generated file does not match “\(PathName.name(of: group.model.path))”",
                line: old[..<min(same, old.count)].count { $0 == UInt8(ascii: "\n") } + 1)
        }
        // Manual/None entities may have been chosen by name.
        for file in best.generated where group.mode == .build && file.isRegenerated && group.texts[file.name] == nil {
            guard files.kind(of: PathName.joined(group.folder, file.name)) == nil else { continue }
            report(file.name, message: "the generated file is missing", line: nil)
        }
        return result
    }

    private func command(_ group: Group, _ options: GenerationOptions) -> String {
        let folder = group.folder.isEmpty ? "." : group.folder
        var command =
            "modelc generate \(ShellWord.quoted(group.model.path)) --output \(ShellWord.quoted(folder))"
        let standard = GenerationOptions(flavor: .xcode, style: .newest, access: .public)
        if options.flavor != standard.flavor { command += " --flavor \(options.flavor.rawValue)" }
        if options.style != standard.style { command += " --style \(options.style.rawValue)" }
        if options.access != standard.access { command += " --access \(options.access.rawValue)" }
        if options.language == .objectiveC { command += " --language \(options.language.rawValue)" }
        if options.objectiveCStyle != standard.objectiveCStyle {
            command += " --objc-style \(options.objectiveCStyle.rawValue)"
        }
        if group.mode == .manual { command += " --mode manual" }
        return command
    }

    // MARK: Options

    private func candidate(
        for group: Group, _ input: ModelInput, _ settings: GenerationSettings
    ) throws(InputFailure) -> Candidate? {
        let templates = try TemplateLoader(files: files).load(nil)
        let types = try settings.types(files)
        var best: Candidate?
        for options in Self.choices(isObjectiveC: group.texts.keys.contains { !$0.hasSuffix(".swift") }) {
            var options = options
            settings.apply(to: &options)
            options.mode = group.mode
            if options.language == .objectiveC { options.features.formIntersection(CodeFeature.objectiveC) }
            let generator = CodeGenerator(
                model: input.document.model, source: input.source, options: options, templates: templates,
                types: options.language == .swift ? types : nil)
            guard let generated = try? generator.generate().files else { continue }
            let candidate = Self.compare(generated, texts: group.texts, options: options)
            if best.map({ candidate.distance < $0.distance }) ?? true { best = candidate }
            if best?.distance == 0 { break }
        }
        return best
    }

    /// Returns the options that code may have been generated with, the defaults first.
    private static func choices(isObjectiveC: Bool) -> [GenerationOptions] {
        if isObjectiveC {
            let styles = [ObjectiveCStyle.xcode13] + ObjectiveCStyle.allCases.filter { $0 != .xcode13 }
            return styles.map { style in
                var options = GenerationOptions(flavor: .xcode, style: .newest, access: .public)
                options.language = .objectiveC
                options.objectiveCStyle = style
                return options
            }
        }
        let styles = CodeStyle.allCases.reversed()
        let levels = [AccessLevel.public] + AccessLevel.allCases.filter { $0 != .public }
        return [GenerationOptions.Flavor.xcode, .portable].flatMap { flavor in
            styles.flatMap { style in
                levels.map { GenerationOptions(flavor: flavor, style: style, access: $0) }
            }
        }
    }

    private static func compare(
        _ generated: [GeneratedFile], texts: [String: [UInt8]], options: GenerationOptions
    ) -> Candidate {
        var candidate = Candidate(options: options, generated: generated, distance: 0, equalCount: 0)
        var rest = texts
        for file in generated where file.isRegenerated {
            let new = Array(file.text.utf8)
            let old = rest.removeValue(forKey: file.name)
            if old == new { candidate.equalCount += 1 } else { candidate.distance += distance(old ?? [], new) }
        }
        for old in rest.values { candidate.distance += distance(old, []) }
        return candidate
    }

    /// Returns the number of lines that only one of two files has, at least 1.
    private static func distance(_ first: [UInt8], _ second: [UInt8]) -> Int {
        var counts: [ArraySlice<UInt8>: Int] = [:]
        for line in first.split(separator: UInt8(ascii: "\n")) { counts[line, default: 0] += 1 }
        for line in second.split(separator: UInt8(ascii: "\n")) { counts[line, default: 0] -= 1 }
        return max(1, counts.values.reduce(0) { $0 + abs($1) })
    }
}
