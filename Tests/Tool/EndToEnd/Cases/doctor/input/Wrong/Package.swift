// swift-tools-version:5.5
import PackageDescription

let package = Package(
    name: "App",
    targets: [
        .target(name: "App", resources: [.process("Shop.xcdatamodeld")])
    ]
)
