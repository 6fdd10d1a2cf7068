// swift-tools-version: 5.9
import PackageDescription

let package = Package(
    name: "Books",
    targets: [
        .target(
            name: "Books",
            resources: [
                .process("Resources"),
                .copy("Books.xcdatamodeld"),
            ]),
        .target(name: "Fine"),
    ])
