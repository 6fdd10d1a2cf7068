internal import CoreData
internal import Foundation

/// Translates sort descriptors.
enum SortTranslation {
    /// Returns the equivalent of sort descriptors.
    ///
    /// - Throws: `SwiftDataError.unsupportedSortDescriptor` for a key path that does not lead to an attribute.
    static func translate<T: PersistentModel>(_ descriptors: [SortDescriptor<T>]) throws -> [NSSortDescriptor] {
        try descriptors.map { descriptor in
            guard let keyPath = descriptor.keyPath, let path = ModelKeyPaths.attribute(keyPath, of: T.self) else {
                throw SwiftDataError(
                    .unsupportedSortDescriptor,
                    "\(descriptor.keyPath.map { "\($0)" } ?? "a descriptor without key path") does not lead to an attribute of "
                        + "\(T.self) that can be sorted\(descriptor.keyPath.map(ModelInfo.of(T.self).obstacle) ?? "")")
            }
            return NSSortDescriptor(
                key: path.key, ascending: descriptor.order == .forward,
                selector: path.isText ? selector(of: descriptor) : nil)
        }
    }

    /// Returns how text is compared: as in Apple's framework, a descriptor without comparator uses the localized
    /// standard order.
    private static func selector<T>(of descriptor: SortDescriptor<T>) -> Selector? {
        guard let comparison = Mirror(reflecting: descriptor).descendant("comparison"),
            let choice = Mirror(reflecting: comparison).children.first
        else { return .localizedStandardCompare }
        guard choice.label == "comparableString" else { return .localizedStandardCompare }
        let isLocalized = Mirror(reflecting: choice.value).children.first.flatMap {
            Mirror(reflecting: $0.value).descendant("isLocalized") as? Bool
        }
        return isLocalized == true ? .localizedStandardCompare : nil
    }

}
