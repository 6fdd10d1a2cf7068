import Foundation
import ModelcDriver
import StudioSession
import Testing

/// Each real model: one edit of each kind made and undone, saved: byte for byte the original.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["MODELC_CORPUS"] != nil))
struct StudioCorpusTests {
    private static let models: [String] = {
        let root = (ProcessInfo.processInfo.environment["MODELC_CORPUS"] ?? "") + "/models"
        let paths = (FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? [])
        return paths.filter { $0.hasSuffix("contents") }.map { root + "/" + $0 }.sorted()
    }()

    /// One operation of each kind on what the model has.
    private func operations(_ session: StudioSession, _ version: String) -> [EditOperation] {
        let model = ElementReference(version: version, [])
        var result: [EditOperation] = [
            .add(parent: model, kind: "entity", values: [:], members: []),
            .add(parent: model, kind: "fetchRequest", values: [:], members: []),
            .add(parent: model, kind: "configuration", values: [:], members: []),
        ]
        for entity in session.snapshot(of: version).root?.c ?? [] where entity.k == "entity" {
            let reference = model.child("entity", entity.a["name"])
            result.append(.rename(element: reference, name: "Zzz\(entity.a["name"] ?? "")"))
            result.append(.set(element: reference, attribute: "isAbstract", value: "YES"))
            result.append(.set(element: reference, attribute: "versionHashModifier", value: "1"))
            result.append(.duplicate(elements: [reference]))
            result.append(.paste(parent: model, text: session.copy([reference])))
            for kind in ["attribute", "relationship", "fetchedProperty", "fetchIndex", "entry"] {
                result.append(.add(parent: reference, kind: kind, values: [:], members: []))
            }
            result.append(.add(parent: reference, kind: "uniquenessConstraint", values: [:], members: ["x"]))
            for property in entity.c ?? [] {
                guard let name = property.a["name"] else { continue }
                let child = reference.child(property.k, name)
                result.append(.rename(element: child, name: "aa\(name)"))
                result.append(.duplicate(elements: [child]))
                result.append(.delete(elements: [child]))
                switch property.k {
                case "attribute": result.append(.set(element: child, attribute: "attributeType", value: "Date"))
                case "relationship":
                    result.append(.set(element: child, attribute: "inverseName", value: nil))
                    result.append(.set(element: child, attribute: "toMany", value: nil))
                default: break
                }
            }
            result.append(.delete(elements: [reference]))
        }
        return result
    }

    @Test(arguments: models)
    func everyEditCanBeUndoneToTheByte(path: String) throws {
        let original = try Data(contentsOf: URL(fileURLWithPath: path))
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("studio-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let model = folder.appendingPathComponent("Model.xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        let contents = model.appendingPathComponent("contents")
        try original.write(to: contents)
        guard
            let session = try? StudioSession(
                path: model.path, journalFolder: nil, isReadOnly: false, files: POSIXFileSystem())
        else { return }
        var count = 0
        for operation in operations(session, "Model").prefix(300) {
            do {
                _ = try session.perform(operation)
                count += 1
            } catch {
                continue
            }
            let edited = session.bytes(ofVersion: "Model")
            #expect(edited != nil)
            guard session.undo() != nil else { continue }
            #expect(!session.isEdited, "\(operation)")
        }
        #expect(count > 0)
        _ = session.redo()
        _ = session.undo()
        // A real change forces the file to be written, and its undo to be written again.
        _ = try session.perform(
            .add(parent: ElementReference(version: "Model", []), kind: "configuration", values: [:], members: []))
        _ = try session.save()
        _ = session.undo()
        _ = try session.save()
        let saved = try Data(contentsOf: contents)
        #expect(saved == original, "\(path)")
    }
}
