// swift-tools-version: 6.1
import PackageDescription

let names = ["App"]
let package = Package(name: "App", targets: names.map { .target(name: $0) })
