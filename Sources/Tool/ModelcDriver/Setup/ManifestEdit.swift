internal import ModelSchema
internal import SwiftSources

/// Adds modelc to the declaration of a target in a `Package.swift` if the declaration is unambiguous: one unconditional
/// `Package(…)`, whose `targets:` is a list that declares the target once, with lists as arguments. All other bytes are
/// kept.
struct ManifestEdit {
    /// The needs of a target.
    struct Addition {
        var target: String
        /// The path of the model relative to the target's folder, if the target does not exclude it.
        var excluded: String?
        /// The arguments of `.package(…)`, if the package does not depend on modelc.
        var location: String?
        var addsDependency: Bool
        var addsPlugin: Bool

        static let product = #".product(name: "CoreData", package: "modelc", condition: .when(platforms: [.linux]))"#
        static let plugin = #".plugin(name: "\#(LinuxBlock.pluginName)", package: "modelc")"#
    }

    private let manifest: PackageManifest
    private var insertions: [(offset: Int, text: String)] = []

    /// Returns a manifest with an addition; `nil` if the location for it is ambiguous.
    static func applying(_ addition: Addition, to manifest: PackageManifest) -> [UInt8]? {
        var edit = ManifestEdit(manifest: manifest)
        guard edit.insert(addition) else { return nil }
        return edit.result
    }

    private init(manifest: PackageManifest) { self.manifest = manifest }

    private var result: [UInt8] {
        var result: [UInt8] = []
        var end = 0
        for (_, insertion) in insertions.enumerated().sorted(by: {
            ($0.element.offset, $0.offset) < ($1.element.offset, $1.offset)
        }) {
            result += manifest.bytes[end..<insertion.offset] + manifest.withLineEnds(insertion.text)
            end = insertion.offset
        }
        return result + manifest.bytes[end...]
    }

    private typealias Call = PackageManifest.Call
    private var tokens: [SwiftToken] { manifest.tokens }

    // MARK: Places

    private mutating func insert(_ addition: Addition) -> Bool {
        guard manifest.block == nil, !tokens.contains(where: { $0.kind == .pound }), let package = packageCall(),
            let list = package["targets"], let target = declaration(of: addition.target, in: list)
        else { return false }
        if let location = addition.location {
            guard insert(".package(\(location))", into: "dependencies", of: package, order: Self.packageOrder) else {
                return false
            }
        }
        let additions: [(label: String, element: String?)] = [
            ("dependencies", addition.addsDependency ? Addition.product : nil),
            ("exclude", addition.excluded.map { SwiftIdentifier.stringLiteral($0) }),
            ("plugins", addition.addsPlugin ? Addition.plugin : nil),
        ]
        for case let (label, element?) in additions {
            guard insert(element, into: label, of: target, order: Self.targetOrder) else { return false }
        }
        return true
    }

    /// Returns the only call of `Package`.
    private func packageCall() -> Call? {
        let starts = tokens.indices.filter {
            tokens[$0].is("Package") && manifest.isSign("(", at: $0 + 1) && !manifest.isSign(".", at: $0 - 1)
        }
        return starts.count == 1 ? starts.first.flatMap { call(openedAt: $0 + 1) } : nil
    }

    private static let targetKinds: Set = ["target", "executableTarget"]

    /// Returns the only declaration of a target among the elements of a list.
    private func declaration(of name: String, in list: Range<Int>) -> Call? {
        guard manifest.isList(list) else { return nil }
        var found: [Call] = []
        for element in manifest.elements(in: list.lowerBound + 1..<list.upperBound - 1) {
            guard element.count > 3, manifest.isSign(".", at: element.lowerBound),
                Self.targetKinds.contains(tokens[element.lowerBound + 1].text),
                let call = call(openedAt: element.lowerBound + 2), call.end == element.upperBound,
                let value = call["name"], value.count == 1,
                manifest.bytes[tokens[value.lowerBound].range].elementsEqual(SwiftIdentifier.stringLiteral(name).utf8)
            else { continue }
            found.append(call)
        }
        return found.count == 1 ? found[0] : nil
    }

    /// Returns a call whose arguments all have values and distinct labels.
    private func call(openedAt open: Int) -> Call? {
        guard let call = manifest.call(openedAt: open),
            call.arguments.allSatisfy({ !$0.label.isEmpty && !$0.value.isEmpty }),
            Set(call.arguments.map(\.label)).count == call.arguments.count
        else { return nil }
        return call
    }

    // MARK: Insertions

    private static let packageOrder = [
        "name", "defaultLocalization", "platforms", "pkgConfig", "providers", "products", "traits", "dependencies",
        "targets",
    ]
    private static let targetOrder = [
        "name", "dependencies", "path", "exclude", "sources", "resources", "publicHeadersPath", "packageAccess",
        "cSettings", "cxxSettings", "swiftSettings", "linkerSettings", "plugins",
    ]

    /// Adds an element to the list of an argument, or adds the argument with a list of it. Returns `false` if the
    /// location is ambiguous.
    private mutating func insert(_ element: String, into label: String, of call: Call, order: [String]) -> Bool {
        if let list = call[label] { return append(element, to: list) }
        guard !call.arguments.contains(where: { $0.label == label }), let rank = order.firstIndex(of: label),
            call.arguments.allSatisfy({ argument in
                order.contains(argument.label) || argument.label.hasPrefix("swift") || argument.label.hasPrefix("c")
            }),
            let before = call.arguments.last(where: { order.firstIndex(of: $0.label).map { $0 < rank } ?? false }),
            let first = call.arguments.first
        else { return false }
        let separator = tokens[first.start].isFirstOnLine ? "\n" + indentation(ofTokenAt: first.start) : " "
        insertions.append((tokens[before.value.upperBound - 1].range.upperBound, ",\(separator)\(label): [\(element)]"))
        return true
    }

    private mutating func append(_ element: String, to list: Range<Int>) -> Bool {
        guard manifest.isList(list) else { return false }
        let inner = list.lowerBound + 1..<list.upperBound - 1
        guard let first = inner.first, let last = inner.last else {
            insertions.append((tokens[list.lowerBound].range.upperBound, element))
            return true
        }
        let separator = tokens[first].isFirstOnLine ? "\n" + indentation(ofTokenAt: first) : " "
        let hasComma = manifest.isSign(",", at: last)
        insertions.append(
            (tokens[last].range.upperBound, (hasComma ? "" : ",") + separator + element + (hasComma ? "," : "")))
        return true
    }

    /// Returns the spaces and tabs before the first token of a line.
    private func indentation(ofTokenAt index: Int) -> String {
        let end = tokens[index].range.lowerBound
        var start = end
        while start > 0, manifest.bytes[start - 1] == 0x20 || manifest.bytes[start - 1] == 0x09 { start -= 1 }
        return String(decoding: manifest.bytes[start..<end], as: UTF8.self)
    }
}
