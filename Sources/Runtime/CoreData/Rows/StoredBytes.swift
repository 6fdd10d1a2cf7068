internal import Foundation

/// The value of a transformable attribute, or one in an external file, as its store keeps it.
///
/// Rows, which contexts share, have the bytes. Each object decodes a value for itself when it is first used. A value
/// that cannot be decoded is `nil` to the code that reads it, but not in the store: unless it is set, the bytes stay as
/// they are.
@usableFromInline
package final class StoredBytes: @unchecked Sendable {
    /// The content of the column.
    package let bytes: Data
    /// The external file that the bytes refer to.
    let file: (any StoredFile)?
    package let coding: any StoredCoding
    /// What an object has decoded; `nil` in rows.
    let decoded: SlotValue?
    /// What the object has decoded it from.
    private let source: StoredBytes?

    init(_ bytes: Data, file: (any StoredFile)? = nil, _ coding: any StoredCoding) {
        self.bytes = bytes
        self.file = file
        self.coding = coding
        decoded = nil
        source = nil
    }

    /// Creates an object's own value of stored bytes.
    init(_ source: StoredBytes, decoded: SlotValue) {
        bytes = source.bytes
        file = source.file
        coding = source.coding
        self.decoded = decoded
        self.source = source.undecoded
    }

    /// The value without what an object has decoded.
    var undecoded: StoredBytes { source ?? self }

    /// Returns a new instance of the value.
    ///
    /// - Throws: `UnreadableValue`.
    func decode() throws -> SlotValue { try coding.value(of: self) }

    /// The value, or null if it cannot be read, which is reported on standard error.
    var current: SlotValue {
        if let decoded { return decoded }
        do {
            return try decode()
        } catch {
            UnreadableValue.record(error, coding)
            return .null
        }
    }

    /// Returns whether two values are equal. An unreadable value is equal only to the same bytes.
    func isEqual(_ other: StoredBytes) -> Bool {
        if undecoded === other.undecoded || coding === other.coding && bytes == other.bytes { return true }
        // Two files are not read to compare them: each has been written for a new value.
        guard file == nil || other.file == nil else { return false }
        return isEqual(other.current)
    }

    /// Returns whether the value equals another one; `nil`, which may stand for an unreadable one, does not.
    func isEqual(_ other: SlotValue) -> Bool {
        if other.isNull { return false }
        return current.isEqualInRow(other)
    }
}

/// A file with a value outside of a store.
package protocol StoredFile: AnyObject, Sendable {
    /// Returns the content.
    ///
    /// - Throws: `UnreadableValue`.
    func read() throws -> Data
}

/// Converts the bytes of a store to values.
package protocol StoredCoding: AnyObject, Sendable {
    /// Returns a new instance of a value.
    ///
    /// - Throws: `UnreadableValue`.
    func value(of stored: StoredBytes) throws -> SlotValue

    /// Reports that a value cannot be read on standard error.
    func report(_ error: any Error)
}

/// The reason why a stored value cannot be read.
struct UnreadableValue: Error, CustomStringConvertible {
    var description: String
    /// Whether the external file does not exist: another context or program may have replaced the value since its row
    /// was read.
    var isMissingFile = false

    /// The first error of a read.
    private final class Recorder: @unchecked Sendable {
        var error: (any Error)?
    }

    @TaskLocal private static var recorder: Recorder?

    /// Reports that a value reads as `nil` because it cannot be read.
    static func record(_ error: any Error, _ coding: any StoredCoding) {
        if let recorder, recorder.error == nil { recorder.error = error }
        coding.report(error)
    }

    /// Returns what a function returns that reads values to convert them.
    ///
    /// - Throws: The first error of a value that cannot be read, which the function takes for `nil`.
    static func throwing<Result>(_ body: () throws -> Result) throws -> Result {
        let recorder = Recorder()
        let result = try $recorder.withValue(recorder, operation: body)
        if let error = recorder.error { throw error }
        return result
    }
}

extension SlotValue {
    /// The value in memory, or null if it cannot be read. For a value that is not in a row.
    var readable: SlotValue { if case .stored(let stored) = self { stored.current } else { self } }

    /// Returns the value for a copy or a conversion.
    ///
    /// - Throws: An error of Cocoa's domain if the value cannot be read, as a copy would lose it.
    func readable(_ name: String, of id: NSManagedObjectID) throws -> SlotValue {
        guard case .stored(let stored) = self else { return self }
        do {
            return try stored.decode()
        } catch let error as UnreadableValue {
            throw CoreDataError.error(
                .coreData,
                text:
                    "the value of “\(id.layout.name).\(name)” of \(id.uriRepresentation()) cannot be read, so a copy would lose "
                    + "it: \(error)",
                userInfo: ["objectID": id, NSValidationKeyErrorKey: name])
        }
    }
}

extension Row {
    /// Returns the row with attributes encoded as a store keeps them, so that contexts share no decoded values.
    ///
    /// - Parameters:
    ///   - slots: The slots that are written; `nil` for all.
    ///   - codings: The codings of the attributes that are kept as bytes, by slot.
    package func encoded(
        _ slots: [Int]?, _ codings: [(slot: Int, coding: any StoredEncoding)]
    ) throws -> Row {
        var values: [SlotValue]?
        for (slot, coding) in codings {
            let isWritten = slots?.contains(slot) ?? true
            guard let encoded = isWritten ? try coding.encoded(self[slot]) : coding.adopted(self[slot]) else {
                continue
            }
            if values == nil { values = Array(self.values) }
            values?[slot] = encoded
        }
        return values.map { Row.make($0, version: version) } ?? self
    }
}

/// Converts the values of an attribute to the bytes of a store.
package protocol StoredEncoding {
    /// Returns the value as the store keeps it; `nil` if it already has that form.
    ///
    /// - Throws: An error of Cocoa's domain if the value cannot be converted.
    func encoded(_ value: SlotValue) throws -> SlotValue?

    /// Returns a stored value that is not written as a value of this store, which may have been moved since the value
    /// was read; `nil` if it is one.
    func adopted(_ value: SlotValue) -> SlotValue?
}
