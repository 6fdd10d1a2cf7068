// swift-tools-version: 6.1
import PackageDescription

let modelc = "modelc"

/// A sample: an app without a screen, with a model that the plugin compiles.
///
/// - Parameter manualClasses: sources as Xcode writes them for Manual/None entities. They say `@objc`, which Linux does not know:
///   they are excluded too, and the plugin has copies compiled in which that is left out.
func sample(_ name: String, manualClasses: [String] = []) -> [Target] {
    [
        .executableTarget(
            name: name,
            dependencies: [
                "SampleSupport",
                // On Apple's platforms Core Data is there already.
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
