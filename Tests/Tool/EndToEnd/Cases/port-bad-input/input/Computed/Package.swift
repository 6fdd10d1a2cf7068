// swift-tools-version:5.9
import PackageDescription
let names = ["A"]
let package = Package(name: "C", targets: names.map { .target(name: $0) })
