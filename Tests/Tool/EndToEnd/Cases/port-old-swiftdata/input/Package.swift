// swift-tools-version:5.9
import PackageDescription
let package = Package(name: "C", targets: [.target(name: "A")])
