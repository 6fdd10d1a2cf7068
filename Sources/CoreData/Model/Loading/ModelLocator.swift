internal import Foundation

/// Finds compiled models in bundles.
enum ModelLocator {
    /// The compiled models (`.momd`, `.mom`) in some bundles, sorted by name within a bundle.
    ///
    /// - Parameter bundles: where to look; nil for the main bundle and the resource bundles beside the program, which on
    ///   Linux are no bundles of the process (foundation-on-linux.md, "Bundle.module").
    static func models(in bundles: [Bundle]?) -> [URL] {
        var folders: [URL] = []
        for bundle in bundles ?? [.main] {
            folders.append(bundle.resourceURL ?? bundle.bundleURL)
            folders.append(bundle.bundleURL)
        }
        if bundles == nil {
            let program = (CommandLine.arguments.first ?? "").split(separator: "/").last.map(String.init) ?? ""
            folders += resourceBundles(beside: Bundle.main.bundleURL, of: program)
        }
        var seen: Set<String> = []
        return folders.map(\.standardizedFileURL).filter { seen.insert($0.path).inserted }.flatMap { models(in: $0) }
    }

    /// The resource bundles that SwiftPM puts beside a program: `Package_Target.resources`, or `.bundle`. The program's own comes
    /// first: libraries may have models of the same name.
    static func resourceBundles(beside folder: URL, of program: String) -> [URL] {
        let found = contents(of: folder).filter { ["resources", "bundle"].contains($0.pathExtension) }
        let isOwn = { (url: URL) in url.deletingPathExtension().lastPathComponent.hasSuffix("_\(program)") }
        return found.filter(isOwn) + found.filter { !isOwn($0) }
    }

    private static func models(in folder: URL) -> [URL] {
        contents(of: folder).filter { ["momd", "mom"].contains($0.pathExtension) }
    }

    private static func contents(of folder: URL) -> [URL] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().map { folder.appendingPathComponent($0) }
    }
}
