// swift-tools-version: 6.2
import PackageDescription

let coreData: [Target.Dependency] = [
    .product(name: "CoreData", package: "modelc", condition: .when(platforms: [.linux]))
]
let plugins: [Target.PluginUsage] = [.plugin(name: "ModelcBuildPlugin", package: "modelc")]

let package = Package(
    name: "Integration",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "modelc", path: "../../..")],
    targets: [
        // A library with generated classes, whose model is in its own bundle.
        .target(
            name: "Library", dependencies: coreData, exclude: ["Models/Library.xcdatamodeld"], plugins: plugins),
        .testTarget(name: "LibraryTests", dependencies: ["Library"]),
        // A program with its own model, and classes of all three codegen modes.
        .executableTarget(
            name: "App", dependencies: ["Library"] + coreData,
            exclude: ["App.xcdatamodeld", "Task+CoreDataClass.swift", "Task+CoreDataProperties.swift"],
            plugins: plugins),
        .executableTarget(
            name: "SwiftFive", dependencies: coreData, exclude: ["Bücher & mehr.xcdatamodeld"],
            swiftSettings: [.swiftLanguageMode(.v5)], plugins: plugins),
        .executableTarget(
            name: "MainActorApp", dependencies: coreData,
            exclude: ["Notes.xcdatamodeld", "Tag+CoreDataClass.swift", "Tag+CoreDataProperties.swift"],
            swiftSettings: [.defaultIsolation(MainActor.self)], plugins: plugins),
        // A mapping model whose policy is a class of the module.
        .executableTarget(
            name: "Migrating", dependencies: coreData,
            exclude: ["Shelf.xcdatamodeld", "ShelfToShelf2.xcmappingmodel", "BookPolicy.swift"], plugins: plugins),
    ],
    swiftLanguageModes: [.v6]
)
