// swift-tools-version: 6.1
import PackageDescription

let package = Package(name: "Two", targets: [.target(name: "A"), .target(name: "B", dependencies: ["A"])])
