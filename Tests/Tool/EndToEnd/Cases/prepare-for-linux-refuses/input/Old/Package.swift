// swift-tools-version:5.3
import PackageDescription
let package = Package(name: "C", targets: [.target(name: "A")])
