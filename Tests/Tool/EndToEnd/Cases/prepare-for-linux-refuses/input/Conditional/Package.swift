// swift-tools-version:5.9
import PackageDescription
#if os(macOS)
let package = Package(name: "C", targets: [.target(name: "A")])
#else
let package = Package(name: "C", targets: [.target(name: "A", exclude: [])])
#endif
