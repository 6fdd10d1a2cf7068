internal import Diagnostics
package import ModelSchema

/// Generates source files for a model, in memory. The caller decides what to do with the files.
package struct CodeGenerator: Sendable {
    /// The result of generation.
    package struct Result: Sendable {
        /// The files, in the order of the model's entities, with the model's own file last. Empty if there are errors.
        package var files: [GeneratedFile]
        /// The findings about names and types.
        package var findings: [ModelFinding]
    }

    /// An entity that was requested by name and is not in the model.
    package struct UnknownEntity: Error, Sendable {
        /// The requested name.
        package var name: String
        /// The names of the model's entities.
        package var entityNames: [String]
    }

    private let model: Model
    private let source: GenerationSource
    private let options: GenerationOptions
    private let templates: TemplateSet
    private let types: SourceTypes?
    private let customization: CustomizationReader

    /// Creates a generator.
    ///
    /// - Parameter types: The types that the target's sources declare; `nil` if they are not known.
    package init(
        model: Model, source: GenerationSource, options: GenerationOptions, templates: TemplateSet,
        types: SourceTypes? = nil
    ) {
        self.types = types
        customization = CustomizationReader(model, options: options, types: types)
        self.model = model
        self.source = source
        self.options = options
        self.templates = templates
    }

    /// Generates the files.
    ///
    /// The model must have no errors at the level `.compiles` (`Model.findings(at:)`).
    ///
    /// - Throws: `UnknownEntity` if the options name an entity that does not exist.
    package func generate() throws(UnknownEntity) -> Result {
        let names = Set(model.entities.map(\.name))
        for name in options.entityNames where !names.contains(name) {
            throw UnknownEntity(name: name, entityNames: model.entities.map(\.name))
        }
        let plans = model.entities.indices.compactMap(plan)
        let check = NameCheck(
            model: model, source: source,
            usesFetchedProperties: !options.features.isDisjoint(with: [.fetches, .keys]))
        var findings = check.findings(entities: plans.map(\.entity), makesModelFile: options.mode == .build)
        if options.language == .objectiveC {
            findings.removeAll { $0.rule == .keywordName }
            findings += plans.flatMap { ObjectiveCNames.findings($0.entity) }
        }
        findings += skippedEntities()
        if !plans.isEmpty, options.language == .swift, model.settings.sourceLanguage == "Objective-C" {
            findings.append(
                ModelFinding(
                    .note, rule: .sourceLanguage, "the model is set to Objective-C, but Swift is generated",
                    at: model.origin, attribute: "sourceLanguage",
                    help:
                        "Generate with --language objc, or choose Swift (File inspector ▸ Code Generation ▸ Language) if that is what you want."
                ))
        }
        findings += collisions(plans)
        findings += customization.findings
        findings += CustomizationCollisions(
            model: model, options: options, customizations: customization.entities, types: types
        ).findings(plans.map(\.entity))
        findings += unsupportedOptions(plans)
        guard !findings.contains(where: { $0.severity == .error }) else { return Result(files: [], findings: findings) }
        let files = options.language == .objectiveC ? renderObjectiveC(plans) : render(plans)
        return Result(files: files, findings: findings)
    }

    /// The files of one entity.
    private struct Plan {
        var entity: Entity
        /// The entity's index in the model.
        var index: Int
        var files: [(name: String, kind: GeneratedFile.Kind, isRegenerated: Bool)]
    }

    private func isRequested(_ entity: Entity) -> Bool {
        options.entityNames.isEmpty || options.entityNames.contains(entity.name)
    }

    /// Returns whether the mode generates files for the entity. In manual mode, an entity that is requested by name
    /// gets files regardless of its codegen setting, as from Xcode's menu.
    private func makesFiles(_ entity: Entity) -> Bool {
        guard isRequested(entity) else { return false }
        return switch (options.mode, entity.codeGeneration) {
        case (.build, .classDefinition), (.build, .category): true
        case (.build, .manual), (.build, .unknown): false
        case (.manual, .manual), (.manual, .unknown): true
        case (.manual, _): !options.entityNames.isEmpty
        }
    }

    private func plan(_ index: Int) -> Plan? {
        let entity = model.entities[index]
        guard makesFiles(entity), entity.className.isCustom else { return nil }
        if customization.entities[entity.name]?.isIgnored ?? false { return nil }
        let name = entity.className.name
        var files: [(name: String, kind: GeneratedFile.Kind, isRegenerated: Bool)] = []
        if options.mode == .manual || entity.codeGeneration == .classDefinition {
            files.append(("\(name)+CoreDataClass.swift", .classDefinition, options.mode == .build))
        }
        files.append(("\(name)+CoreDataProperties.swift", .properties, true))
        return Plan(entity: entity, index: index, files: files)
    }

    /// Returns findings about features that need a file that the mode does not generate.
    private func unsupportedOptions(_ plans: [Plan]) -> [ModelFinding] {
        guard !plans.isEmpty, options.features.contains(.ids), options.mode == .manual, options.flavor == .xcode else {
            return []
        }
        return [
            ModelFinding(
                .error, rule: .invalidCodeOption, "“ids” cannot be generated with --mode manual", at: model.origin,
                why: "The type of object IDs is declared in the model's file, which this mode does not write.",
                help: "Generate without “ids”, or use --mode build.")
        ]
    }

    private func skippedEntities() -> [ModelFinding] {
        model.entities.filter { makesFiles($0) && !$0.className.isCustom }.map { entity in
            ModelFinding(
                .warning, rule: .noClassName,
                "nothing is generated for “\(entity.name)”: it has no custom class", at: entity.origin,
                attribute: "representedClassName", why: "Its objects are plain NSManagedObject instances.",
                help: "Give it a class (Entity ▸ Data Model inspector ▸ Class ▸ Name).")
        }
    }

    /// Returns findings about files with the same name. Two entities may share a class, but then its code must be
    /// handwritten.
    private func collisions(_ plans: [Plan]) -> [ModelFinding] {
        var owners: [String: (name: String, entity: String)] = [:]
        var findings: [ModelFinding] = []
        for plan in plans {
            guard let file = plan.files.last else { continue }
            // File systems of Apple's platforms do not distinguish `Book` from `BOOK`.
            let key = file.name.lowercased()
            guard let owner = owners[key] else {
                owners[key] = (file.name, plan.entity.name)
                continue
            }
            // A second entity with the same name is reported as a structural error.
            guard owner.entity != plan.entity.name else { continue }
            let same = owner.name == file.name
            findings.append(
                ModelFinding(
                    same ? .error : .warning, rule: .duplicateClass,
                    same
                        ? "“\(plan.entity.name)” and “\(owner.entity)” have the same class “\(plan.entity.className.name)”"
                        : "the classes of “\(plan.entity.name)” and “\(owner.entity)” differ in upper and lower case only",
                    at: plan.entity.origin, attribute: "representedClassName",
                    why: same
                        ? "Both would generate \(file.name)."
                        : "Their files overwrite each other on a file system that ignores case.",
                    help: "Give one of them another class, or set one to Manual/None."))
        }
        return findings
    }

    private func render(_ plans: [Plan]) -> [GeneratedFile] {
        let context = RenderContext(
            model: model, source: source, options: options, customizations: customization.entities,
            generatedNames: Set(plans.map(\.entity.name)))
        let entities = context.entityObjects()
        if options.flavor == .portable {
            return renderPortable(plans, context: context, templates: templates, entities: entities)
        }
        var files: [GeneratedFile] = []
        for plan in plans {
            for file in plan.files {
                let template = file.kind == .classDefinition ? TemplateSet.classDefinition : TemplateSet.properties
                let object = context.fileObject(
                    file.kind, named: file.name, isRegenerated: file.isRegenerated, of: plan.entity,
                    entities[plan.index])
                guard let text = templates.render(template, object) else { continue }
                files.append(
                    GeneratedFile(name: file.name, kind: file.kind, text: text, isRegenerated: file.isRegenerated))
            }
        }
        if options.mode == .build, !files.isEmpty {
            let name = "\(source.modelName)+CoreDataModel.swift"
            if let text = templates.render(TemplateSet.model, context.modelObject(fileName: name, entities: entities)) {
                files.append(GeneratedFile(name: name, kind: .model, text: text, isRegenerated: true))
            }
        }
        return files
    }

    /// Returns the Objective-C files. Only their file headers come from templates.
    private func renderObjectiveC(_ plans: [Plan]) -> [GeneratedFile] {
        let context = RenderContext(model: model, source: source, options: options)
        let classNames = Dictionary(model.entities.map { ($0.name, $0.swiftClassName) }) { first, _ in first }
        var files: [GeneratedFile] = []
        func add(_ kind: GeneratedFile.Kind, _ texts: [(name: String, text: String)], isRegenerated: Bool) {
            for (name, text) in texts {
                let header = context.headerObject(fileName: name, isRegenerated: isRegenerated)
                files.append(
                    GeneratedFile(
                        name: name, kind: kind, text: (templates.render(TemplateSet.header, header) ?? "") + text,
                        isRegenerated: isRegenerated))
            }
        }
        for plan in plans {
            var code = ObjectiveCCode(entity: plan.entity, classNames: classNames, style: options.objectiveCStyle)
            if let custom = customization.entities[plan.entity.name] { code.customization = custom }
            if let file = plan.files.first(where: { $0.kind == .classDefinition }) {
                add(.classDefinition, code.classFiles, isRegenerated: file.isRegenerated)
            }
            add(.properties, code.propertyFiles, isRegenerated: true)
        }
        if options.mode == .build, !files.isEmpty {
            let classes = plans.map(\.entity.className.name)
            let texts = ObjectiveCCode.modelFiles(source.modelName, classes: classes, style: options.objectiveCStyle)
            add(.model, texts, isRegenerated: true)
        }
        return files
    }

    /// Returns the single file of the model.
    private func renderPortable(
        _ plans: [Plan], context: RenderContext, templates: TemplateSet, entities: [RenderObject]
    ) -> [GeneratedFile] {
        guard !plans.isEmpty else { return [] }
        let name = "\(source.modelName)+CoreDataModel.swift"
        let object = context.portableObject(
            fileName: name,
            entities: plans.map { plan in
                (plan.entity, entities[plan.index], plan.files.contains { $0.kind == .classDefinition })
            })
        guard let text = templates.render(TemplateSet.portable, object) else { return [] }
        return [GeneratedFile(name: name, kind: .model, text: text, isRegenerated: true)]
    }
}
