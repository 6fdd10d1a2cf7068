internal import CompiledMapping
internal import Foundation
internal import ModelSchema
internal import RuntimeSupport

/// Finds compiled mapping models in bundles.
enum MappingModelLocator {
    /// Returns the mapping model for a migration, or `nil`.
    ///
    /// - Parameter bundles: The bundles to search; `nil` for the main bundle and the resource bundles next to the
    ///   program.
    static func mapping(
        in bundles: [Bundle]?, source: NSManagedObjectModel, destination: NSManagedObjectModel
    ) -> CompiledMapping? {
        var candidates: [CompiledMapping] = []
        for url in ModelLocator.files(in: bundles, withExtensions: ["cdm"]) {
            do throws(MappingModelFile.Failure) {
                candidates.append(try MappingModelFile.read(url))
            } catch {
                Log.error("Failed to load the mapping model at \(error)")
            }
        }
        guard !candidates.isEmpty else { return nil }
        let best = CompiledMapping.bestMatch(
            candidates, sourceHashes: source.versionHashes, destinationHashes: destination.versionHashes,
            destination: SchemaConverter.schema(of: destination))
        return best.map { candidates[$0] }
    }
}
