internal import ModelSchema

/// The `exclude:` entries of a target.
enum ExcludeList {
    /// Returns whether a path is excluded by an entry for itself or for a folder that contains it. The entry `.` stands
    /// for the whole target.
    static func covers(_ entries: [String], _ path: String) -> Bool {
        entries.map(normalized).contains { $0.isEmpty || path == $0 || path.hasPrefix($0 + "/") }
    }

    private static func normalized(_ entry: String) -> String {
        PathName.normalizedComponents(entry).joined(separator: "/")
    }

    /// Returns entries for files of a target: as few as possible, with folders in place of all of their files.
    ///
    /// A folder stands for its files if all of them are models and Swift files, and either it holds a model, in which
    /// case all of its Swift files are compiled as copies, or all of its Swift files are requested.
    ///
    /// - Parameter requested: The files to exclude, relative to the target's folder.
    static func entries(for requested: Set<String>, in group: SourceGroup) -> [String] {
        var folders: [String: (requested: Int, models: Int, plain: Int, others: Int)] = [:]
        func count(_ path: String, _ change: (inout (requested: Int, models: Int, plain: Int, others: Int)) -> Void) {
            var folder = PathName.parent(of: path)
            while !folder.isEmpty {
                change(&folders[folder, default: (0, 0, 0, 0)])
                folder = PathName.parent(of: folder)
            }
        }
        for path in group.others { count(path) { $0.others += 1 } }
        for path in group.bundles + group.sources where requested.contains(path) { count(path) { $0.requested += 1 } }
        for path in group.bundles { count(path) { $0.models += 1 } }
        for path in group.sources where !requested.contains(path) { count(path) { $0.plain += 1 } }
        func replacesItsFiles(_ folder: String) -> Bool {
            guard let counts = folders[folder], counts.others == 0, counts.requested > 1 else { return false }
            // Few files are listed one by one, so that a new file in the folder is not excluded by accident.
            return counts.models > 0 ? counts.plain <= counts.requested : counts.plain == 0 && counts.requested > 3
        }
        var result: Set<String> = []
        for path in requested {
            var entry = path
            var folder = PathName.parent(of: path)
            while !folder.isEmpty {
                if replacesItsFiles(folder) { entry = folder }
                folder = PathName.parent(of: folder)
            }
            result.insert(entry)
        }
        return result.sorted()
    }

    /// Returns an `exclude:` argument to paste into a target.
    ///
    /// - Parameter indentation: The spaces before the lines.
    static func argument(_ entries: [String], indentation: String = "    ") -> String {
        let lines = entries.map { "\(indentation)    \(SwiftIdentifier.stringLiteral($0)),\n" }.joined()
        return "\(indentation)exclude: [\n\(lines)\(indentation)],\n"
    }
}
