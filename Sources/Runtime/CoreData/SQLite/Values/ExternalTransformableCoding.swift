internal import Foundation

/// The coding of a transformable attribute whose large values are in files.
package final class ExternalTransformableCoding: TransformableCoding, @unchecked Sendable {
    private let external: ExternalStorage

    init(_ attribute: NSAttributeDescription, _ external: ExternalStorage) {
        self.external = external
        super.init(attribute)
    }

    package override func file(in content: UnsafeRawBufferPointer) -> (any StoredFile)? { external.file(in: content) }

    package override func data(of stored: StoredBytes) throws -> Data { try external.data(of: stored) }

    package override func column(for data: Data) throws -> Data { try external.content(of: data) }
}
