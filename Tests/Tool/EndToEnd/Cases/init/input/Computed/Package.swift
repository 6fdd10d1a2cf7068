// swift-tools-version: 6.1
import PackageDescription

let plugins: [Target.PluginUsage] = []

let package = Package(
    name: "App",
    targets: [.executableTarget(name: "App", plugins: plugins)]
)
