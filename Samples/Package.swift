// swift-tools-version: 6.1
import PackageDescription

let modelc = "modelc"

/// Returns the targets of a sample: an app without a user interface, whose model the plugin compiles, and its tests.
///
/// - Parameter manualClasses: Sources as Xcode writes them for Manual/None entities. They use `@objc`, which is not
///   available on Linux: they are excluded too, and the plugin compiles copies without it.
func sample(_ name: String, manualClasses: [String] = []) -> [Target] {
    [
        .executableTarget(
            name: name,
            dependencies: [
                "SampleSupport",
                // Apple's platforms include Core Data.
                .product(name: "CoreData", package: modelc, condition: .when(platforms: [.linux])),
            ],
            exclude: ["\(name).xcdatamodeld"] + manualClasses,
            plugins: [.plugin(name: "ModelcBuildPlugin", package: modelc)]),
        .testTarget(name: "\(name)Tests", dependencies: [.target(name: name)]),
    ]
}

let package = Package(
    name: "Samples",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: modelc, path: "../")],
    targets: [
        .target(name: "SampleSupport"),
        .testTarget(
            name: "OutputTests",
            dependencies: ["Books", "Enroute", "Jokes", "PenCake", "ToDo"],
            exclude: ["Expected"]),
    ] + sample("Books")
        + sample("ToDo", manualClasses: ["ToDoItem+CoreDataClass.swift", "ToDoItem+CoreDataProperties.swift"])
        + sample("Enroute")
        + sample("Jokes")
        + sample("PenCake"),
    swiftLanguageModes: [.v6]
)
