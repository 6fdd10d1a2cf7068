// swift-tools-version: 5.9
import PackageDescription

// What a package written for iOS needs on Linux: the product, the plugin, and the files that it compiles copies of.
let coreData: [Target.Dependency] = [
    .product(name: "CoreData", package: "modelc", condition: .when(platforms: [.linux]))
]
let plugins: [Target.PluginUsage] = [.plugin(name: "ModelcBuildPlugin", package: "modelc")]

let package = Package(
    name: "Ports",
    platforms: [.macOS(.v13), .iOS(.v16)],
    dependencies: [.package(name: "modelc", path: "../..")],
    targets: [
        // A predicate-builder library: operators over key paths.
        .target(
            name: "QueryBuilder", dependencies: coreData, exclude: ["Ordering.swift"], plugins: plugins),
        .testTarget(
            name: "QueryBuilderTests", dependencies: ["QueryBuilder"] + coreData, exclude: ["Fixtures.swift"],
            plugins: plugins),
        // A repository layer with models that are built in code.
        .target(
            name: "Repository", dependencies: coreData,
            exclude: ["Album.swift", "Track.swift", "Repository.swift"], plugins: plugins),
        .testTarget(name: "RepositoryTests", dependencies: ["Repository"] + coreData),
        // A store whose classes are generated and extended, overrides included.
        .target(
            name: "Journal", dependencies: coreData,
            exclude: ["Journal.xcdatamodeld", "Entry+Lifecycle.swift", "Notebook.swift", "Notebook+Overrides.swift"],
            plugins: plugins),
        .testTarget(name: "JournalTests", dependencies: ["Journal"] + coreData),
        // An app layer with #keyPath in every fetch, and validation methods.
        .target(
            name: "Shop", dependencies: coreData,
            exclude: [
                "Shop.xcdatamodeld", "Model/Customer+CoreDataClass.swift", "Model/Customer+CoreDataProperties.swift",
                "Model/Order.swift", "CustomerStore.swift", "CustomersViewController.swift",
            ], plugins: plugins),
        .testTarget(name: "ShopTests", dependencies: ["Shop"] + coreData),
        // What copies give other API for: selectors, casts, bundles, logs, optional requirements, literals of sets, and
        // imports that are not needed. The tests do not import CoreData, and some run on the main actor.
        .target(
            name: "Inbox", dependencies: coreData,
            exclude: [
                "Inbox.xcdatamodeld", "InboxDelegate.swift", "InboxLog.swift", "Labels.swift", "Message.swift",
                "MessageStore.swift", "SaveObserver.swift",
            ], plugins: plugins),
        .testTarget(
            name: "InboxTests", dependencies: ["Inbox"] + coreData, exclude: ["ScreenTests.swift"], plugins: plugins),
        // What needs accessors by name, casts between results controllers, and other parts of the Objective-C runtime.
        .target(
            name: "Shelf", dependencies: coreData,
            exclude: ["Shelf.xcdatamodeld", "FetchedProvider.swift", "Novel.swift", "Observers.swift"],
            plugins: plugins),
        .testTarget(name: "ShelfTests", dependencies: ["Shelf"] + coreData),
    ]
)
