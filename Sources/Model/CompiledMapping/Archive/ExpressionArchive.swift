package import CompiledModel
package import ModelSchema
package import PredicateSyntax

/// The reason why an archive contains no valid expression or user info.
package struct UnreadableExpression: Error {
    /// The reason.
    package var message: String
}

/// The small archives in an `xcmapping.xml`, each of an expression or a user info
/// (Documentation/Formats/MappingModel.md, 1.2).
package enum ExpressionArchive {
    /// Reads an archived expression.
    package static func expression(in bytes: [UInt8]) throws(UnreadableExpression) -> MappingExpression {
        let archive = try open(bytes)
        var decoder = ExpressionDecoder(ArchiveReader(archive))
        return try expression(archive.root, &decoder)
    }

    /// Reads an expression that is part of an archive.
    static func expression(
        _ object: KeyedArchive.ObjectID, _ decoder: inout ExpressionDecoder
    ) throws(UnreadableExpression) -> MappingExpression {
        let count = decoder.reader.reporter.findings.count
        var tree: PredicateSyntax.Expression?
        var reason = ""
        do throws(ExpressionDecoder.Unreadable) {
            tree = try decoder.decodeExpression(object)
        } catch {
            reason = error.message
        }
        if let problem = decoder.reader.reporter.findings.dropFirst(count).first {
            throw UnreadableExpression(message: problem.message)
        }
        if let tree { return .tree(tree) }
        let archive = decoder.reader.archive
        // Anything other than an expression, or one with dangling references, cannot be copied.
        guard let name = archive.classInfo(of: object)?.name, name.hasPrefix("NS"), name.hasSuffix("Expression"),
            let bytes = archive.archive(of: object)
        else { throw UnreadableExpression(message: reason) }
        return .archived(ArchivedExpression(bytes: bytes, reason: reason))
    }

    /// Returns the date of an expression that is a constant date, in seconds since 2001-01-01 00:00 UTC; `nil` for any
    /// other expression.
    ///
    /// The archived form is that of the default value of a date attribute (Documentation/Formats/CompiledModel.md).
    package static func date(in expression: ArchivedExpression) -> Double? {
        guard let archive = try? KeyedArchive(expression.bytes),
            archive.recognizedClass(of: archive.root) == .constantExpression
        else { return nil }
        var reader = ArchiveReader(archive)
        guard let value = reader.object(.constantValue, of: archive.root) else { return nil }
        return reader.date(value)
    }

    /// Returns an archived expression as a tree in which a cast of seconds stands for each constant date, to be
    /// evaluated; `nil` if something else has no format string either.
    package static func treeCastingDates(of expression: ArchivedExpression) -> PredicateSyntax.Expression? {
        guard let archive = try? KeyedArchive(expression.bytes) else { return nil }
        var decoder = ExpressionDecoder(ArchiveReader(archive))
        decoder.castsDates = true
        guard let tree = try? decoder.decodeExpression(archive.root), decoder.reader.reporter.findings.isEmpty else {
            return nil
        }
        return tree
    }

    /// Writes an expression as a separate archive.
    package static func bytes(of expression: MappingExpression) -> [UInt8] {
        switch expression {
        case .archived(let archived): return archived.bytes
        case .tree(let tree):
            var encoder = ExpressionEncoder(KeyedArchiveBuilder(), for: .mappingModel)
            let root = encoder.encode(tree)
            return encoder.builder.finish(root: root)
        }
    }

    /// Reads an archived user info.
    package static func userInfo(in bytes: [UInt8]) throws(UnreadableExpression) -> [UserInfoEntry] {
        let archive = try open(bytes)
        var reader = ArchiveReader(archive)
        return try userInfo(archive.root, &reader)
    }

    /// Reads a user info that is part of an archive, sorted by key.
    static func userInfo(
        _ object: KeyedArchive.ObjectID, _ reader: inout ArchiveReader
    ) throws(UnreadableExpression) -> [UserInfoEntry] {
        guard let entries = reader.entries(of: object) else {
            throw UnreadableExpression(message: "\(reader.describe(object)) is not a dictionary")
        }
        var result: [UserInfoEntry] = []
        for (key, value) in entries {
            guard let text = reader.string(value) else {
                throw UnreadableExpression(message: "the value for “\(key)” is not a string")
            }
            result.append(UserInfoEntry(key: key, value: text))
        }
        return result.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    }

    /// Writes a user info as a separate archive.
    package static func bytes(of userInfo: [UserInfoEntry]) -> [UInt8] {
        var builder = KeyedArchiveBuilder()
        let root = builder.add(userInfo: userInfo)
        return builder.finish(root: root)
    }

    private static func open(_ bytes: [UInt8]) throws(UnreadableExpression) -> KeyedArchive {
        do throws(ModelArchiveError) {
            return try KeyedArchive(bytes)
        } catch {
            throw UnreadableExpression(message: error.message)
        }
    }
}

extension KeyedArchiveBuilder {
    /// Writes a user info.
    package mutating func add(userInfo: [UserInfoEntry]) -> Reference {
        var entries: [(key: String, value: Reference)] = []
        for entry in userInfo { entries.append((entry.key, add(entry.value))) }
        return add(.mutableDictionary, entries: entries)
    }
}
