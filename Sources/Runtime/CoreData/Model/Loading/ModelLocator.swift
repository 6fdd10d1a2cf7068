internal import Foundation

/// Finds compiled models in bundles.
enum ModelLocator {
    /// Returns the compiled models (`.momd`, `.mom`) in bundles, sorted by name within a bundle.
    ///
    /// The main bundle includes the resource bundles next to the program, where SwiftPM puts the models of each target.
    /// On Linux `Bundle(for:)` is the main bundle for every class, and `Bundle.allBundles` is empty.
    ///
    /// - Parameters:
    ///   - bundles: The bundles to search; `nil` or empty for the main bundle.
    ///   - main: The main bundle.
    static func models(in bundles: [Bundle]?, main: Bundle = .main) -> [URL] {
        files(in: bundles, withExtensions: ["momd", "mom"], main: main)
    }

    /// Returns the files with given extensions in bundles, sorted by name within a bundle; see `models(in:main:)`.
    static func files(
        in bundles: [Bundle]?, withExtensions extensions: Set<String>, main: Bundle = .main
    ) -> [URL] {
        let bundles = bundles.flatMap { $0.isEmpty ? nil : $0 } ?? [main]
        var folders: [URL] = []
        for bundle in bundles {
            folders.append(bundle.resourceURL ?? bundle.bundleURL)
            folders.append(bundle.bundleURL)
        }
        if bundles.contains(where: { resolved($0.bundleURL) == resolved(main.bundleURL) }) {
            let program = (CommandLine.arguments.first ?? "").split(separator: "/").last.map(String.init) ?? ""
            folders += resourceBundles(beside: main.bundleURL, of: program)
        }
        var seen: Set<String> = []
        return folders.map(\.standardizedFileURL).filter { seen.insert($0.path).inserted }.flatMap { folder in
            contents(of: folder).filter { extensions.contains($0.pathExtension) }
        }
    }

    private static func resolved(_ url: URL) -> String { url.resolvingSymlinksInPath().standardizedFileURL.path }

    /// Returns the resource bundles that SwiftPM puts next to a program: `Package_Target.resources`, or `.bundle`. The
    /// program's own come first, because libraries may have models of the same name.
    static func resourceBundles(beside folder: URL, of program: String) -> [URL] {
        let found = contents(of: folder).filter { ["resources", "bundle"].contains($0.pathExtension) }
        let isOwn = { (url: URL) in url.deletingPathExtension().lastPathComponent.hasSuffix("_\(program)") }
        return found.filter(isOwn) + found.filter { !isOwn($0) }
    }

    private static func contents(of folder: URL) -> [URL] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().map { folder.appendingPathComponent($0) }
    }
}
