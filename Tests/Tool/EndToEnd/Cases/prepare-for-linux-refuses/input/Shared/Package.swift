// swift-tools-version:5.9
import PackageDescription
let plugins: [Target.PluginUsage] = [.plugin(name: "ModelcBuildPlugin", package: "modelc")]
let package = Package(
    name: "C", dependencies: [.package(path: "../modelc")], targets: [.target(name: "A", plugins: plugins)])
