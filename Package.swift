// swift-tools-version: 6.1
import CompilerPluginSupport
import PackageDescription

let package = Package(
    name: "modelc",
    platforms: [.macOS(.v13)],
    products: [
        .executable(name: "modelc", targets: ["modelc"]),
        .executable(name: "modelc-store", targets: ["modelc-store"]),
        .executable(name: "modelc-postgresql", targets: ["modelc-postgresql"]),
        .library(name: "CoreData", targets: ["CoreData", "UnifiedLogging"]),
        .library(name: "CoreDataPostgreSQL", targets: ["CoreDataPostgreSQL"]),
        .library(name: "CoreDataFoundationExtras", targets: ["CoreDataFoundationExtras"]),
        .library(name: "SwiftData", targets: ["SwiftData"]),
        .library(name: "StudioServer", targets: ["StudioServer"]),
        .plugin(name: "ModelcBuildPlugin", targets: ["ModelcBuildPlugin"]),
        .plugin(
            name: "ModelcCommands", targets: ["GenerateManagedObjects", "LintModel", "FormatModel", "PrepareForLinux"]),
    ],
    traits: [
        .trait(
            name: "BundledSQLite",
            description:
                "SQLite is built from the package swift-toolchain-sqlite, which is fetched only with this trait: for systems without it."
        ),
        .trait(
            name: "OpenCombine",
            description: "Managed objects are observable objects of OpenCombine, which is fetched only with this trait."
        ),
        .trait(
            name: "SwiftData",
            description:
                "The macros of the module SwiftData, whose package swift-syntax is fetched only with this trait."
        ),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
        .package(url: "https://github.com/swiftlang/swift-syntax", "600.0.0"..<"610.0.0"),
        .package(url: "https://github.com/swiftlang/swift-toolchain-sqlite", from: "1.0.0"),
    ],
    targets: [
        // MARK: Foundations

        .systemLibrary(
            name: "CLibXML2", path: "Sources/Foundations/CLibXML2",
            pkgConfig: "libxml-2.0",
            providers: [.apt(["libxml2-dev"]), .yum(["libxml2-devel"]), .brew(["libxml2"])]
        ),
        // SQLite's header, and the library to link. Not by pkg-config, which would link the system's library also with
        // the trait BundledSQLite.
        .systemLibrary(name: "CSQLite3", path: "Sources/Foundations/CSQLite3"),
        .systemLibrary(name: "CSystemSQLite", path: "Sources/Foundations/CSystemSQLite"),
        .systemLibrary(
            name: "CZlib", path: "Sources/Foundations/CZlib",
            pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .yum(["zlib-devel"]), .brew(["zlib"])]
        ),
        .systemLibrary(name: "CSystemCalls", path: "Sources/Foundations/CSystemCalls"),
        .target(name: "CLibrary", path: "Sources/Foundations/CLibrary"),
        .target(name: "Diagnostics", path: "Sources/Foundations/Diagnostics"),
        .target(
            name: "ProjectConfiguration", dependencies: ["Diagnostics"],
            path: "Sources/Foundations/ProjectConfiguration"),
        .target(name: "SwiftSources", path: "Sources/Foundations/SwiftSources"),

        // MARK: Model

        .target(name: "PredicateSyntax", path: "Sources/Model/PredicateSyntax"),
        .target(
            name: "ModelSchema", dependencies: ["Diagnostics", "PredicateSyntax"], path: "Sources/Model/ModelSchema"),
        .target(
            name: "CloudKitSchema", dependencies: ["Diagnostics", "ModelSchema"], path: "Sources/Model/CloudKitSchema"),
        .target(
            name: "ModelSource", dependencies: ["CLibXML2", "Diagnostics", "ModelSchema"],
            path: "Sources/Model/ModelSource"),
        .target(
            name: "CompiledModel", dependencies: ["Diagnostics", "ModelSchema", "PredicateSyntax"],
            path: "Sources/Model/CompiledModel"),
        .target(
            name: "CompiledMapping", dependencies: ["CompiledModel", "Diagnostics", "ModelSchema", "PredicateSyntax"],
            path: "Sources/Model/CompiledMapping"),
        .target(
            name: "MappingModel",
            dependencies: [
                "CompiledMapping", "CompiledModel", "Diagnostics", "ModelSchema", "ModelSource", "PredicateSyntax",
            ], path: "Sources/Model/MappingModel"),
        .target(
            name: "StoreFile",
            dependencies: [
                "CLibrary", "CSQLite3", "CSystemSQLite", "CZlib", "CompiledModel", "ModelSchema",
                .product(
                    name: "SwiftToolchainCSQLite", package: "swift-toolchain-sqlite",
                    condition: .when(traits: ["BundledSQLite"])),
            ], path: "Sources/Model/StoreFile"),
        .target(
            name: "SwiftDataModel", dependencies: ["Diagnostics", "ModelSchema", "SwiftDataRules", "SwiftSources"],
            path: "Sources/Model/SwiftDataModel"),
        .target(name: "SwiftDataRules", dependencies: ["ModelSchema"], path: "Sources/Model/SwiftDataRules"),

        // MARK: Analysis

        .target(
            name: "ModelLint",
            dependencies: ["CloudKitSchema", "Diagnostics", "ModelSchema", "ModelSource", "PredicateSyntax"],
            path: "Sources/Analysis/ModelLint"),
        .target(name: "ModelMigration", dependencies: ["ModelSchema"], path: "Sources/Analysis/ModelMigration"),
        .target(
            name: "ModelEvolution", dependencies: ["CloudKitSchema", "Diagnostics", "ModelMigration", "ModelSchema"],
            path: "Sources/Analysis/ModelEvolution"),
        .target(
            name: "ModelCheck", dependencies: ["Diagnostics", "ModelEvolution", "ModelLint"],
            path: "Sources/Analysis/ModelCheck"),
        .target(name: "ModelGraph", dependencies: ["Diagnostics", "ModelSchema"], path: "Sources/Analysis/ModelGraph"),

        // MARK: Generation

        .target(
            name: "Templates", path: "Sources/Generation/Templates",
            resources: [
                .embedInCode("AttributeAccessor.mustache"),
                .embedInCode("ClassBody.mustache"),
                .embedInCode("CodableAccessor.mustache"),
                .embedInCode("CodableDecoding.mustache"),
                .embedInCode("CodableEncoding.mustache"),
                .embedInCode("CoreDataClass.swift.mustache"),
                .embedInCode("CoreDataModel.swift.mustache"),
                .embedInCode("CoreDataPortable.swift.mustache"),
                .embedInCode("CoreDataProperties.swift.mustache"),
                .embedInCode("FeaturesBody.mustache"),
                .embedInCode("Header.mustache"),
                .embedInCode("InitializerParameters.mustache"),
                .embedInCode("InitializerValues.mustache"),
                .embedInCode("ManagedID.mustache"),
                .embedInCode("PortableBody.mustache"),
                .embedInCode("PropertiesBody.mustache"),
            ]
        ),
        .target(
            name: "CodeGeneration", dependencies: ["Diagnostics", "ModelSchema", "PredicateSyntax", "SwiftSources"],
            path: "Sources/Generation/CodeGeneration"),

        // MARK: Runtime

        .systemLibrary(
            name: "CLibPQ", path: "Sources/Runtime/CLibPQ",
            pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .yum(["libpq-devel"]), .brew(["libpq"])]
        ),
        .target(name: "CCoreDataSupport", path: "Sources/Runtime/CCoreDataSupport"),
        .target(name: "FoundationAliases", path: "Sources/Runtime/FoundationAliases"),
        // Memory, threads and reports of the runtime. Not part of any product's API.
        .target(
            name: "RuntimeSupport", dependencies: ["CCoreDataSupport"], path: "Sources/Runtime/RuntimeSupport",
            exclude: ["README.md"]),
        .target(
            name: "CoreDataFoundationExtras", dependencies: ["RuntimeSupport"],
            path: "Sources/Runtime/CoreDataFoundationExtras"),
        // What copies of sources import in place of Apple's `os`; not part of CoreData, because `Logger` is a common
        // name.
        .target(name: "UnifiedLogging", path: "Sources/Runtime/UnifiedLogging"),
        .target(
            name: "CoreData",
            dependencies: [
                "CCoreDataSupport", "CSQLite3", "CompiledMapping", "CompiledModel", "CoreDataFoundationExtras",
                "Diagnostics", "FoundationAliases", "ModelMigration", "ModelSchema", "PredicateSyntax",
                "RuntimeSupport", "StoreFile",
                .product(name: "OpenCombine", package: "OpenCombine", condition: .when(traits: ["OpenCombine"])),
            ], path: "Sources/Runtime/CoreData",
            exclude: ["DEVIATIONS.md"]),
        // Without the trait, the plugin has no macros and does not import swift-syntax.
        .macro(
            name: "SwiftDataMacros",
            dependencies: [
                .product(
                    name: "SwiftCompilerPlugin", package: "swift-syntax", condition: .when(traits: ["SwiftData"])),
                .product(name: "SwiftDiagnostics", package: "swift-syntax", condition: .when(traits: ["SwiftData"])),
                .product(name: "SwiftSyntax", package: "swift-syntax", condition: .when(traits: ["SwiftData"])),
                .product(
                    name: "SwiftSyntaxBuilder", package: "swift-syntax", condition: .when(traits: ["SwiftData"])),
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax", condition: .when(traits: ["SwiftData"])),
            ], path: "Sources/Runtime/SwiftDataMacros"),
        .target(
            name: "SwiftData",
            dependencies: [
                "CCoreDataSupport", "CoreData", "ModelSchema", "RuntimeSupport", "SwiftDataRules",
                .target(name: "SwiftDataMacros", condition: .when(traits: ["SwiftData"])),
            ], path: "Sources/Runtime/SwiftData",
            exclude: ["DEVIATIONS.md"]),
        .target(
            name: "PostgreSQLClient", dependencies: ["CLibPQ"],
            path: "Sources/Runtime/PostgreSQLClient"),
        // The tables of PostgreSQL stores and their migrations, without a client: modelc-store prints them.
        .target(
            name: "PostgreSQLSchema",
            dependencies: ["CompiledModel", "CoreData", "ModelMigration", "PredicateSyntax", "RuntimeSupport"],
            path: "Sources/Runtime/PostgreSQLSchema"),
        // The only product that needs libpq.
        .target(
            name: "CoreDataPostgreSQL",
            dependencies: [
                "CompiledModel", "CoreData", "ModelMigration", "PostgreSQLClient", "PostgreSQLSchema",
                "PredicateSyntax", "RuntimeSupport",
            ],
            path: "Sources/Runtime/CoreDataPostgreSQL"),

        // MARK: Tool

        .target(
            name: "ModelcDriver",
            dependencies: [
                "CLibrary", "CSystemCalls", "CloudKitSchema", "CodeGeneration", "CompiledMapping", "CompiledModel",
                "Diagnostics", "MappingModel", "ModelCheck", "ModelEvolution", "ModelGraph", "ModelLint",
                "ModelMigration", "ModelSchema", "ModelSource", "PredicateSyntax", "ProjectConfiguration", "StoreFile",
                "SwiftDataModel", "SwiftSources", "Templates",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], path: "Sources/Tool/ModelcDriver"),
        .executableTarget(
            name: "modelc",
            dependencies: ["ModelcDriver"], path: "Sources/Tool/modelc"
        ),
        .target(
            name: "StoreDoctor",
            dependencies: [
                "CLibrary", "CSQLite3", "CompiledModel", "CoreData", "Diagnostics", "ModelLint", "ModelSchema",
                "PredicateSyntax", "StoreFile",
            ], path: "Sources/Tool/StoreDoctor"),
        .target(
            name: "StoreTools",
            dependencies: [
                "CSQLite3", "CompiledMapping", "CompiledModel", "CoreData", "Diagnostics", "ModelMigration",
                "ModelSchema", "ModelSource", "ModelcDriver", "PostgreSQLSchema", "StoreDoctor", "StoreFile",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], path: "Sources/Tool/StoreTools"),
        .executableTarget(
            name: "modelc-store",
            dependencies: ["StoreTools"], path: "Sources/Tool/modelc-store"
        ),
        // Separate from modelc-store, which does not need libpq.
        .executableTarget(
            name: "modelc-postgresql",
            dependencies: [
                "CoreDataPostgreSQL", "ModelcDriver", "StoreTools",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], path: "Sources/Tool/modelc-postgresql"
        ),

        // MARK: Studio

        .target(
            name: "ModelEditor",
            dependencies: [
                "CLibrary", "Diagnostics", "ModelGraph", "ModelSchema", "ModelSource", "ModelcDriver",
                "PredicateSyntax",
            ], path: "Sources/Studio/ModelEditor"),
        .target(
            name: "StoreBrowser",
            dependencies: [
                "CompiledModel", "CoreData", "Diagnostics", "ModelEditor", "ModelcDriver", "PredicateSyntax",
                "StoreDoctor", "StoreFile", "StoreTools",
            ], path: "Sources/Studio/StoreBrowser"),
        .target(
            name: "StudioPage", path: "Sources/Studio/StudioPage",
            resources: [
                .embedInCode("Page/index.html"),
                .embedInCode("Page/studio.css"),
                .embedInCode("Page/data.html"),
                .embedInCode("Page/data.css"),
                .embedInCode("Page/app.js"),
                .embedInCode("Page/completion.js"),
                .embedInCode("Page/data-cells.js"),
                .embedInCode("Page/data-clipboard.js"),
                .embedInCode("Page/data-edit.js"),
                .embedInCode("Page/data-findings.js"),
                .embedInCode("Page/data-help.js"),
                .embedInCode("Page/data-history.js"),
                .embedInCode("Page/data-import.js"),
                .embedInCode("Page/data-link.js"),
                .embedInCode("Page/data-list.js"),
                .embedInCode("Page/data-order.js"),
                .embedInCode("Page/data-predicate.js"),
                .embedInCode("Page/data-raw.js"),
                .embedInCode("Page/data-selection.js"),
                .embedInCode("Page/data-sidebar.js"),
                .embedInCode("Page/data-store.js"),
                .embedInCode("Page/data-toolbar.js"),
                .embedInCode("Page/data-viewer.js"),
                .embedInCode("Page/data-watch.js"),
                .embedInCode("Page/data.js"),
                .embedInCode("Page/dom.js"),
                .embedInCode("Page/entities.js"),
                .embedInCode("Page/fields.js"),
                .embedInCode("Page/graph.css"),
                .embedInCode("Page/graph.js"),
                .embedInCode("Page/graph-drawing.js"),
                .embedInCode("Page/graph-export.js"),
                .embedInCode("Page/graph-gestures.js"),
                .embedInCode("Page/graph-minimap.js"),
                .embedInCode("Page/graph-positions.js"),
                .embedInCode("Page/graph-scene.js"),
                .embedInCode("Page/inspector.js"),
                .embedInCode("Page/model.js"),
                .embedInCode("Page/overflow.js"),
                .embedInCode("Page/panels.js"),
                .embedInCode("Page/reorder.js"),
                .embedInCode("Page/repair.css"),
                .embedInCode("Page/repair.js"),
                .embedInCode("Page/sidebar.js"),
                .embedInCode("Page/splitters.js"),
                .embedInCode("Page/studio.js"),
                .embedInCode("Page/syntax.js"),
                .embedInCode("Page/tables.js"),
                .embedInCode("Page/versions.js"),
            ]),
        // What modelc-studio, a separate package in Studio/, serves. Depends on no web server.
        .target(
            name: "StudioServer",
            dependencies: [
                "Diagnostics", "ModelEditor", "ModelcDriver", "StoreBrowser", "StoreTools", "StudioPage",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], path: "Sources/Studio/StudioServer"),

        // MARK: Plugins

        .plugin(name: "ModelcBuildPlugin", capability: .buildTool(), dependencies: ["modelc"]),
        .plugin(
            name: "GenerateManagedObjects",
            capability: .command(
                intent: .custom(
                    verb: "generate-managed-objects",
                    description: "Write the classes of Manual/None entities into the sources, as Xcode's menu does"),
                permissions: [.writeToPackageDirectory(reason: "It writes Swift files beside the models.")]),
            dependencies: ["modelc"]),
        .plugin(
            name: "LintModel",
            capability: .command(
                intent: .custom(verb: "lint-model", description: "Lint the package's models")),
            dependencies: ["modelc"]),
        .plugin(
            name: "FormatModel",
            capability: .command(
                intent: .custom(verb: "format-model", description: "Format the package's models as Xcode does"),
                permissions: [.writeToPackageDirectory(reason: "It rewrites the models.")]),
            dependencies: ["modelc"]),
        .plugin(
            name: "PrepareForLinux",
            capability: .command(
                intent: .custom(
                    verb: "prepare-for-linux", description: "Edit Package.swift so that the package builds on Linux"),
                permissions: [.writeToPackageDirectory(reason: "It adds lines for Linux to Package.swift.")]),
            dependencies: ["modelc"]),

        // MARK: Test support

        // Random numbers that tests can repeat.
        .target(name: "SeededRandom", path: "Tests/Support/SeededRandom"),
        // Seeds of randomized tests.
        .target(name: "TestSupport", dependencies: ["SeededRandom"], path: "Tests/Support/TestSupport"),
        // A PostgreSQL server for tests.
        .target(
            name: "PostgreSQLTestSupport", dependencies: ["PostgreSQLClient"],
            path: "Tests/Support/PostgreSQLTestSupport"),
        // The process that store tests start and kill.
        .executableTarget(
            name: "StoreWriter", dependencies: ["CSQLite3", "CoreData", "CoreDataPostgreSQL"],
            path: "Tests/Support/StoreWriter"
        ),
        // Contexts that wait for each other: another process has its main thread free, and can be ended when it is
        // stuck.
        .executableTarget(
            name: "QueueStress", dependencies: ["CoreData", "SeededRandom"], path: "Tests/Support/QueueStress"),

        // MARK: Tests of Foundations

        .testTarget(
            name: "SwiftSourcesTests", dependencies: ["SwiftSources", "TestSupport"],
            path: "Tests/Foundations/SwiftSourcesTests"),
        .testTarget(
            name: "ProjectConfigurationTests",
            dependencies: ["Diagnostics", "ModelLint", "ProjectConfiguration"],
            path: "Tests/Foundations/ProjectConfigurationTests",
            exclude: ["Fixtures"]),
        .testTarget(
            name: "DiagnosticsTests", dependencies: ["Diagnostics"], path: "Tests/Foundations/DiagnosticsTests",
            exclude: ["Goldens"]),

        // MARK: Tests of Model

        .testTarget(
            name: "SwiftDataModelTests", dependencies: ["Diagnostics", "ModelSchema", "SwiftDataModel", "TestSupport"],
            path: "Tests/Model/SwiftDataModelTests"),
        .testTarget(
            name: "MappingModelTests",
            dependencies: [
                "CompiledMapping", "CompiledModel", "Diagnostics", "MappingModel", "ModelSchema", "ModelSource",
                "PredicateSyntax", "TestSupport",
            ], path: "Tests/Model/MappingModelTests"),
        .testTarget(
            name: "StoreFileTests", dependencies: ["CSQLite3", "CZlib", "CompiledModel", "ModelSchema", "StoreFile"],
            path: "Tests/Model/StoreFileTests"),
        .testTarget(
            name: "CloudKitSchemaTests",
            dependencies: ["CloudKitSchema", "Diagnostics", "ModelSchema", "ModelSource", "TestSupport"],
            path: "Tests/Model/CloudKitSchemaTests"),
        .testTarget(
            name: "PredicateSyntaxTests", dependencies: ["PredicateSyntax", "TestSupport"],
            path: "Tests/Model/PredicateSyntaxTests"),
        .testTarget(
            name: "ModelSchemaTests", dependencies: ["Diagnostics", "ModelSchema"], path: "Tests/Model/ModelSchemaTests"
        ),
        .testTarget(
            name: "CompiledModelTests",
            dependencies: ["CompiledModel", "Diagnostics", "ModelSchema", "PredicateSyntax", "TestSupport"],
            path: "Tests/Model/CompiledModelTests"),
        .testTarget(
            name: "ModelSourceTests", dependencies: ["Diagnostics", "ModelSchema", "ModelSource", "TestSupport"],
            path: "Tests/Model/ModelSourceTests"),

        // MARK: Tests of Analysis

        .testTarget(
            name: "ModelLintTests",
            dependencies: ["Diagnostics", "ModelLint", "ModelSchema", "ModelSource", "TestSupport"],
            path: "Tests/Analysis/ModelLintTests"),
        .testTarget(
            name: "ModelEvolutionTests",
            dependencies: ["ModelEvolution", "ModelMigration", "ModelSchema", "TestSupport"],
            path: "Tests/Analysis/ModelEvolutionTests"),
        .testTarget(
            name: "ModelCheckTests",
            dependencies: ["Diagnostics", "ModelCheck", "ModelEvolution", "ModelMigration", "ModelSchema"],
            path: "Tests/Analysis/ModelCheckTests"),
        .testTarget(
            name: "ModelGraphTests", dependencies: ["ModelGraph", "ModelSchema", "TestSupport"],
            path: "Tests/Analysis/ModelGraphTests", exclude: ["Goldens"]),

        // MARK: Tests of Generation

        .testTarget(
            name: "CodeGenerationTests",
            dependencies: ["CodeGeneration", "Diagnostics", "ModelSchema", "SwiftSources"],
            path: "Tests/Generation/CodeGenerationTests"),

        // MARK: Tests of Runtime

        .testTarget(
            name: "CoreDataTests",
            dependencies: [
                "CSQLite3", "CompiledMapping", "CompiledModel", "CoreData", "CoreDataFoundationExtras",
                "CoreDataPostgreSQL", "MappingModel", "ModelMigration", "ModelSchema", "ModelSource",
                "PostgreSQLClient", "PostgreSQLSchema", "PostgreSQLTestSupport", "PredicateSyntax", "QueueStress",
                "RuntimeSupport", "StoreFile", "StoreWriter", "TestSupport",
            ], path: "Tests/Runtime/CoreDataTests",
            exclude: ["Generated/Features.xcdatamodeld", "Generated/Gadgets.xcdatamodeld"]),
        .testTarget(
            name: "CoreDataFoundationExtrasTests", dependencies: ["CoreDataFoundationExtras", "UnifiedLogging"],
            path: "Tests/Runtime/CoreDataFoundationExtrasTests"),
        .testTarget(
            name: "PostgreSQLClientTests",
            dependencies: ["PostgreSQLClient", "PostgreSQLTestSupport", "TestSupport"],
            path: "Tests/Runtime/PostgreSQLClientTests"),

        // MARK: Tests of Tool

        .testTarget(
            name: "ModelcDriverTests",
            dependencies: [
                "CLibrary", "CSQLite3", "CodeGeneration", "CompiledModel", "Diagnostics", "ModelEvolution",
                "ModelMigration", "ModelSchema", "ModelSource", "ModelcDriver", "ProjectConfiguration", "StoreFile",
                "SwiftDataModel",
                "TestSupport",
            ], path: "Tests/Tool/ModelcDriverTests"),
        .testTarget(
            name: "StoreToolsTests",
            dependencies: [
                "CSQLite3", "CompiledModel", "CoreData", "Diagnostics", "ModelLint", "ModelMigration", "ModelSchema",
                "ModelcDriver", "PostgreSQLClient", "PostgreSQLTestSupport", "StoreDoctor", "StoreFile", "StoreTools",
                "TestSupport", "modelc", "modelc-postgresql", "modelc-store",
            ], path: "Tests/Tool/StoreToolsTests", exclude: ["Goldens"]),
        .testTarget(
            name: "EndToEndTests", dependencies: ["ModelcDriver", "TestSupport", "modelc"], path: "Tests/Tool/EndToEnd",
            exclude: ["Cases"]),

        // MARK: Tests of Studio

        .testTarget(
            name: "ModelEditorTests",
            dependencies: [
                "ModelEditor", "ModelSchema", "ModelSource", "ModelcDriver", "StudioPage", "StudioServer",
                "TestSupport",
            ], path: "Tests/Studio/ModelEditorTests"),
        .testTarget(
            name: "StoreBrowserTests",
            dependencies: [
                "CSQLite3", "CoreData", "ModelcDriver", "StoreBrowser", "StoreDoctor", "StoreFile", "StudioServer",
                "TestSupport",
            ], path: "Tests/Studio/StoreBrowserTests"),

        // MARK: Tests of the project

        .testTarget(
            name: "ProjectTests", dependencies: ["CodeGeneration", "SwiftSources", "TestSupport"],
            path: "Tests/Project/ProjectTests"),
    ],
    swiftLanguageModes: [.v6]
)

// The strict forms of visibility, so that what a module offers and what it only uses can be read off its imports.
for target in package.targets where target.type == .regular {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}
