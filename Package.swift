// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "modelc",
    platforms: [.macOS(.v13)],
    products: [
        .executable(name: "modelc", targets: ["modelc"]),
        .executable(name: "modelc-store", targets: ["modelc-store"]),
        .library(name: "CoreData", targets: ["CoreData"]),
        .library(name: "CoreDataPostgreSQL", targets: ["CoreDataPostgreSQL"]),
        .library(name: "CoreDataFoundationExtras", targets: ["CoreDataFoundationExtras"]),
        .library(name: "StudioServer", targets: ["StudioServer"]),
        .plugin(name: "ModelcBuildPlugin", targets: ["ModelcBuildPlugin"]),
        .plugin(
            name: "ModelcCommands", targets: ["GenerateManagedObjects", "LintModel", "FormatModel", "PrepareForLinux"]),
    ],
    traits: [
        .trait(
            name: "OpenCombine",
            description: "Managed objects are observable objects of OpenCombine, which is fetched only with this trait."
        )
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CLibXML2",
            pkgConfig: "libxml-2.0",
            providers: [.apt(["libxml2-dev"]), .yum(["libxml2-devel"]), .brew(["libxml2"])]
        ),
        .systemLibrary(
            name: "CSQLite3",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .yum(["sqlite-devel"]), .brew(["sqlite"])]
        ),
        .systemLibrary(
            name: "CZlib",
            pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .yum(["zlib-devel"]), .brew(["zlib"])]
        ),
        .systemLibrary(
            name: "CLibPQ",
            pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .yum(["libpq-devel"]), .brew(["libpq"])]
        ),
        .target(name: "Diagnostics"),
        .target(name: "PredicateSyntax"),
        .target(name: "ModelSchema", dependencies: ["Diagnostics", "PredicateSyntax"]),
        .target(name: "CloudKitSchema", dependencies: ["Diagnostics", "ModelSchema"]),
        .target(name: "ModelSource", dependencies: ["CLibXML2", "Diagnostics", "ModelSchema"]),
        .target(
            name: "Templates",
            path: "Templates",
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
        .target(name: "CompiledModel", dependencies: ["Diagnostics", "ModelSchema", "PredicateSyntax"]),
        .target(
            name: "CompiledMapping", dependencies: ["CompiledModel", "Diagnostics", "ModelSchema", "PredicateSyntax"]),
        .target(
            name: "MappingModel",
            dependencies: [
                "CompiledMapping", "CompiledModel", "Diagnostics", "ModelSchema", "ModelSource", "PredicateSyntax",
            ]),
        .target(name: "StoreFile", dependencies: ["CSQLite3", "CZlib", "CompiledModel", "ModelSchema"]),
        .target(
            name: "ModelLint",
            dependencies: ["CloudKitSchema", "Diagnostics", "ModelSchema", "ModelSource", "PredicateSyntax"]),
        .target(name: "ModelMigration", dependencies: ["ModelSchema"]),
        .target(name: "ModelEvolution", dependencies: ["CloudKitSchema", "ModelMigration", "ModelSchema"]),
        .target(name: "ModelGraph", dependencies: ["Diagnostics", "ModelSchema"]),
        .target(name: "SwiftSources"),
        .target(name: "SwiftDataModel", dependencies: ["Diagnostics", "ModelSchema", "SwiftSources"]),
        .target(
            name: "CodeGeneration", dependencies: ["Diagnostics", "ModelSchema", "PredicateSyntax", "SwiftSources"]),
        .target(
            name: "ModelcDriver",
            dependencies: [
                "CloudKitSchema", "CodeGeneration", "CompiledMapping", "CompiledModel", "Diagnostics", "MappingModel",
                "ModelEvolution", "ModelGraph", "ModelLint", "ModelMigration", "ModelSchema", "ModelSource",
                "PredicateSyntax",
                "StoreFile",
                "SwiftDataModel", "SwiftSources", "Templates",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .executableTarget(
            name: "modelc",
            dependencies: [
                "ModelcDriver", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
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
                intent: .custom(
                    verb: "lint-model", description: "Look for what is wrong with the models of the package")),
            dependencies: ["modelc"]),
        .plugin(
            name: "FormatModel",
            capability: .command(
                intent: .custom(verb: "format-model", description: "Lay the models of the package out as Xcode does"),
                permissions: [.writeToPackageDirectory(reason: "It rewrites the models.")]),
            dependencies: ["modelc"]),
        .plugin(
            name: "PrepareForLinux",
            capability: .command(
                intent: .custom(
                    verb: "prepare-for-linux", description: "Edit Package.swift so that the package builds on Linux"),
                permissions: [.writeToPackageDirectory(reason: "It adds lines for Linux to Package.swift.")]),
            dependencies: ["modelc"]),
        .target(name: "CCoreDataSupport"),
        .target(name: "FoundationAliases"),
        .target(name: "CoreDataFoundationExtras"),
        .target(
            name: "CoreData",
            dependencies: [
                "CCoreDataSupport", "CSQLite3", "CompiledMapping", "CompiledModel", "CoreDataFoundationExtras",
                "Diagnostics", "FoundationAliases", "ModelMigration", "ModelSchema", "PredicateSyntax", "StoreFile",
                .product(name: "OpenCombine", package: "OpenCombine", condition: .when(traits: ["OpenCombine"])),
            ],
            exclude: ["DEVIATIONS.md"]),
        .target(name: "PostgreSQLValues"),
        .target(name: "PostgreSQLClient", dependencies: ["CLibPQ", "PostgreSQLValues"]),
        // The only product that needs libpq.
        .target(name: "CoreDataPostgreSQL", dependencies: ["CoreData", "PostgreSQLClient", "PostgreSQLValues"]),
        .target(
            name: "StoreTools",
            dependencies: [
                "CompiledMapping", "CompiledModel", "CoreData", "Diagnostics", "ModelMigration", "ModelSchema",
                "ModelSource", "ModelcDriver", "StoreFile",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .executableTarget(
            name: "modelc-store",
            dependencies: [
                "CSQLite3", "ModelcDriver", "StoreTools",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        .target(
            name: "StudioSession",
            dependencies: [
                "Diagnostics", "ModelGraph", "ModelSchema", "ModelSource", "ModelcDriver", "PredicateSyntax",
            ]),
        .target(
            name: "StudioStore",
            dependencies: [
                "CompiledModel", "CoreData", "Diagnostics", "ModelcDriver", "PredicateSyntax", "StoreFile",
                "StoreTools",
                "StudioSession",
            ]),
        .target(
            name: "StudioPage",
            path: "Sources/StudioPage",
            resources: [
                .embedInCode("Page/index.html"),
                .embedInCode("Page/studio.css"),
                .embedInCode("Page/data.html"),
                .embedInCode("Page/data.css"),
                .embedInCode("Page/app.js"),
                .embedInCode("Page/data-cells.js"),
                .embedInCode("Page/data-edit.js"),
                .embedInCode("Page/data-help.js"),
                .embedInCode("Page/data-history.js"),
                .embedInCode("Page/data-import.js"),
                .embedInCode("Page/data-link.js"),
                .embedInCode("Page/data-list.js"),
                .embedInCode("Page/data-order.js"),
                .embedInCode("Page/data-predicate.js"),
                .embedInCode("Page/data-selection.js"),
                .embedInCode("Page/data-store.js"),
                .embedInCode("Page/data-viewer.js"),
                .embedInCode("Page/data.js"),
                .embedInCode("Page/dom.js"),
                .embedInCode("Page/fields.js"),
                .embedInCode("Page/graph.css"),
                .embedInCode("Page/graph.js"),
                .embedInCode("Page/graph-drawing.js"),
                .embedInCode("Page/graph-export.js"),
                .embedInCode("Page/graph-gestures.js"),
                .embedInCode("Page/graph-scene.js"),
                .embedInCode("Page/inspector.js"),
                .embedInCode("Page/model.js"),
                .embedInCode("Page/panels.js"),
                .embedInCode("Page/reorder.js"),
                .embedInCode("Page/repair.css"),
                .embedInCode("Page/repair.js"),
                .embedInCode("Page/sidebar.js"),
                .embedInCode("Page/studio.js"),
                .embedInCode("Page/tables.js"),
            ]),
        // What modelc-studio, a separate package in Studio/, serves. Depends on no web server.
        .target(
            name: "StudioServer",
            dependencies: [
                "Diagnostics", "ModelcDriver", "StudioPage", "StudioSession", "StudioStore",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        // Random numbers that tests can repeat.
        .target(name: "SeededRandom", path: "Tests/SeededRandom"),
        // Seeds of randomized tests.
        .target(name: "TestSupport", dependencies: ["SeededRandom"], path: "Tests/TestSupport"),
        // A PostgreSQL server for tests.
        .target(
            name: "PostgreSQLTestSupport", dependencies: ["PostgreSQLClient", "PostgreSQLValues"],
            path: "Tests/PostgreSQLTestSupport"),
        // What tests of the store in a file run as another process.
        .executableTarget(
            name: "StoreWriter", dependencies: ["CSQLite3", "CoreData", "CoreDataPostgreSQL"], path: "Tests/StoreWriter"
        ),
        // Contexts that wait for each other: another process has its main thread free, and can be ended when it is stuck.
        .executableTarget(name: "QueueStress", dependencies: ["CoreData", "SeededRandom"], path: "Tests/QueueStress"),
        .testTarget(
            name: "CoreDataTests",
            dependencies: [
                "QueueStress", "StoreWriter", "CSQLite3", "CompiledMapping", "CompiledModel", "CoreData",
                "CoreDataPostgreSQL", "MappingModel",
                "ModelMigration", "ModelSchema",
                "ModelSource",
                "PostgreSQLClient", "PostgreSQLTestSupport", "PredicateSyntax", "StoreFile", "TestSupport",
            ],
            exclude: ["Generated/Features.xcdatamodeld", "Generated/Gadgets.xcdatamodeld"]),
        .testTarget(name: "CoreDataFoundationExtrasTests", dependencies: ["CoreDataFoundationExtras"]),
        .testTarget(
            name: "CodeGenerationTests", dependencies: ["CodeGeneration", "Diagnostics", "ModelSchema", "SwiftSources"]),
        .testTarget(name: "SwiftSourcesTests", dependencies: ["SwiftSources", "TestSupport"]),
        .testTarget(
            name: "SwiftDataModelTests", dependencies: ["Diagnostics", "ModelSchema", "SwiftDataModel", "TestSupport"]),
        .testTarget(
            name: "ModelcDriverTests",
            dependencies: [
                "CSQLite3", "CodeGeneration", "CompiledModel", "Diagnostics", "ModelEvolution", "ModelMigration",
                "ModelSchema",
                "ModelSource", "ModelcDriver", "StoreFile", "SwiftDataModel", "TestSupport",
            ]),
        .testTarget(
            name: "MappingModelTests",
            dependencies: [
                "CompiledMapping", "CompiledModel", "Diagnostics", "MappingModel", "ModelSchema", "ModelSource",
                "PredicateSyntax",
                "TestSupport",
            ]),
        .testTarget(
            name: "StoreToolsTests",
            dependencies: [
                "modelc", "modelc-store", "CSQLite3", "CompiledModel", "CoreData", "Diagnostics", "ModelLint",
                "ModelMigration",
                "ModelSchema",
                "ModelcDriver",
                "StoreFile", "StoreTools", "TestSupport",
            ]),
        .testTarget(
            name: "StudioSessionTests",
            dependencies: [
                "ModelSchema", "ModelSource", "ModelcDriver", "StudioPage", "StudioServer", "StudioSession",
                "TestSupport",
            ]),
        .testTarget(
            name: "StudioStoreTests",
            dependencies: ["CSQLite3", "CoreData", "ModelcDriver", "StudioStore", "TestSupport"]),
        .testTarget(
            name: "StoreFileTests", dependencies: ["CSQLite3", "CZlib", "CompiledModel", "ModelSchema", "StoreFile"]),
        .testTarget(
            name: "ModelLintTests",
            dependencies: ["Diagnostics", "ModelLint", "ModelSchema", "ModelSource", "TestSupport"],
            exclude: ["Fixtures"]),
        .testTarget(
            name: "CloudKitSchemaTests",
            dependencies: ["CloudKitSchema", "Diagnostics", "ModelSchema", "ModelSource", "TestSupport"]),
        .testTarget(
            name: "ModelEvolutionTests",
            dependencies: ["ModelEvolution", "ModelMigration", "ModelSchema", "TestSupport"]),
        .testTarget(
            name: "ModelGraphTests", dependencies: ["ModelGraph", "ModelSchema", "TestSupport"], exclude: ["Goldens"]),
        .testTarget(
            name: "PostgreSQLClientTests",
            dependencies: ["PostgreSQLClient", "PostgreSQLTestSupport", "PostgreSQLValues", "TestSupport"]),
        .testTarget(name: "ProjectTests", dependencies: ["CodeGeneration", "TestSupport"]),
        .testTarget(name: "DiagnosticsTests", dependencies: ["Diagnostics"], exclude: ["Goldens"]),
        .testTarget(name: "PredicateSyntaxTests", dependencies: ["PredicateSyntax", "TestSupport"]),
        .testTarget(name: "ModelSchemaTests", dependencies: ["Diagnostics", "ModelSchema"]),
        .testTarget(
            name: "CompiledModelTests",
            dependencies: ["CompiledModel", "Diagnostics", "ModelSchema", "PredicateSyntax", "TestSupport"]),
        .testTarget(
            name: "ModelSourceTests", dependencies: ["Diagnostics", "ModelSchema", "ModelSource", "TestSupport"]),
        .testTarget(
            name: "EndToEndTests", dependencies: ["ModelcDriver", "TestSupport", "modelc"], path: "Tests/EndToEnd",
            exclude: ["Cases"]),
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
