// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Unused",
    targets: [.target(name: "Lib")]
)
