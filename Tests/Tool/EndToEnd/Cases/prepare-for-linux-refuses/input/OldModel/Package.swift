// swift-tools-version:5.6
import PackageDescription
let package = Package(name: "C", targets: [.target(name: "A")])
