internal import ModelSchema

extension FileSystem {
    /// Returns the advice for a path at which nothing exists: the nearest name in its folder, or else to check the path.
    func help(forMissing path: String) -> String {
        let folder = PathName.parent(of: path)
        guard let names = try? list(folder.isEmpty ? "." : folder),
            let nearest = EditDistance.closest(to: PathName.name(of: path), among: names)
        else { return "Check the path." }
        return "Did you mean “\(PathName.joined(folder, nearest))”?"
    }
}
