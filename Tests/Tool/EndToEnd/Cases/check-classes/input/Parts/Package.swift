// swift-tools-version: 5.9
import PackageDescription

let package = Package(
    name: "Books",
    targets: [
        .target(name: "Books", exclude: ["Books.xcdatamodeld"], plugins: ["ModelcBuildPlugin"]),
        .target(name: "Other"),
    ])
