// swift-tools-version:5.9
import PackageDescription
let package = Package(name: "C", targets: ["A"].map { .target(name: $0) })
