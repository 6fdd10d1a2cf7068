// swift-tools-version: 6.1
import PackageDescription

#if os(Linux)
let package = Package(name: "App", targets: [.executableTarget(name: "App")])
#else
let package = Package(name: "App", targets: [.executableTarget(name: "App")])
#endif
