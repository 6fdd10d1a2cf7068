// swift-tools-version:5.9
import PackageDescription
let package = makePackage()
func makePackage() -> Package { Package(name: "C", targets: [.target(name: "A")]) }
