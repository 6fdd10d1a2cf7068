internal import Diagnostics
internal import ModelSchema
internal import SwiftSources

/// Members of extensions that override others, which Swift supports only with Objective-C.
///
/// The member stays where it is, under another name, so that it can access private declarations of its file. The class
/// gets an override that calls it. `super` means the same in both.
struct ExtensionOverrides {
    let target: TargetSources

    /// Returns the new name of the member in the extension. It contains the class's name, because an extension of a
    /// superclass may override the same member.
    static func name(of member: SwiftFile.Override) -> String {
        "_\(member.context.path.joined(separator: "_"))_\(member.name)"
    }

    /// Returns whether the member can be called from its class, and the class is copied or generated.
    func canMove(_ member: SwiftFile.Override) -> Bool {
        guard member.context.isExtension, Self.isCallable(member) else { return false }
        switch target.location(ofClass: member.context.path) {
        case .copy(let location): return location.type.kind == .class && location.type.bodyEnd != nil
        case .generated: return true
        case .compiled, .unknown: return false
        }
    }

    static func isCallable(_ member: SwiftFile.Override) -> Bool {
        member.kind != .other && !member.isUnusual && !member.context.isConstrained
            && !["private", "fileprivate"].contains(member.access ?? member.context.extensionAccess)
    }

    /// Returns the overrides to insert into the classes of a copied source, with their locations.
    func insertions(into source: ManagedSource) -> [(offset: Int, text: String)] {
        var texts: [Int: String] = [:]
        for other in target.sources where target.isCopied(other) {
            for member in other.file.overrides where canMove(member) {
                guard case .copy(let location) = target.location(ofClass: member.context.path),
                    let end = location.type.bodyEnd,
                    target.sources[location.source].path == source.path
                else { continue }
                texts[end, default: ""] += text(member, other)
            }
        }
        let lines = texts.isEmpty ? nil : LineIndex(source.bytes)
        return texts.sorted { $0.key < $1.key }.map { location, text in
            let line = lines?.range(of: location..<location).start.line ?? 1
            return (location, text + Self.location(source.path, line))
        }
    }

    /// Returns the overrides to insert into generated classes, by class name.
    func insertionsIntoGenerated() -> [String: String] {
        var texts: [String: String] = [:]
        for source in target.sources where target.isCopied(source) {
            for member in source.file.overrides where canMove(member) {
                guard case .generated(let name) = target.location(ofClass: member.context.path) else { continue }
                texts[name, default: ""] += text(member, source)
            }
        }
        return texts.mapValues { $0 + "\n#sourceLocation()\n" }
    }

    private static func location(_ path: String, _ line: Int) -> String {
        "\n#sourceLocation(file: \(SwiftIdentifier.stringLiteral(path)), line: \(line))\n"
    }

    /// Returns the text of the override in the class.
    private func text(_ member: SwiftFile.Override, _ source: ManagedSource) -> String {
        let line = LineIndex(source.bytes).range(of: member.nameRange).start.line
        var introducer = source.bytes[member.introducer]
        for attribute in source.file.objectiveCAttributes where member.introducer.contains(attribute.lowerBound) {
            for location in attribute where introducer.indices.contains(location) {
                introducer[location] = UInt8(ascii: " ")
            }
        }
        var words = Self.withoutLineEnds(String(decoding: introducer, as: UTF8.self))
        if member.access == nil, let access = member.context.extensionAccess { words = "\(access) \(words)" }
        let name = Self.name(of: member)
        var body: String
        if member.kind == .property {
            body = member.hasSetter ? "get { \(name) } set { \(name) = newValue }" : name
        } else {
            let arguments = member.parameters.map { parameter in
                let value = SwiftIdentifier.declared(parameter.name)
                let isInOut = source.text(parameter.typeRange).hasPrefix("inout ")
                return (parameter.label.map { "\($0): " } ?? "") + (isInOut ? "&" : "") + value
            }
            body = "\(name)(\(arguments.joined(separator: ", ")))"
            if member.effects.contains("async") { body = "await \(body)" }
            if !member.effects.isDisjoint(with: ["throws", "rethrows"]) { body = "try \(body)" }
        }
        let signature = Self.withoutLineEnds(source.text(member.signature))
        return Self.location(source.path, line)
            + "\(words)\(SwiftIdentifier.declared(member.name))\(signature) { \(body) }"
    }

    /// Returns the text of a declaration in one line, in which line endings have no meaning, unless it contains
    /// comments.
    private static func withoutLineEnds(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0 == "\n" || $0 == "\r" }) else { return text }
        guard !text.contains("//"), !text.contains("/*") else { return text + "\n" }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "\n" || $0 == "\r" ? " " : $0 }))
    }
}
