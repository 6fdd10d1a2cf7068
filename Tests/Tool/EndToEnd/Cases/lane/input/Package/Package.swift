// swift-tools-version: 6.0
import PackageDescription
let package = Package(name: "P", targets: [.target(name: "P")])
