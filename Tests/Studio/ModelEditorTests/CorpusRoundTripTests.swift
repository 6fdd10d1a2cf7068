import Foundation
import ModelEditor
import ModelcDriver
import TestSupport
import Testing

/// For each real model, making and undoing one edit of each kind and saving restores the original bytes.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["MODELC_CORPUS"] != nil))
struct StudioCorpusTests {
    private static let models: [String] = {
        let root = (ProcessInfo.processInfo.environment["MODELC_CORPUS"] ?? "") + "/models"
        let paths = (FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? [])
        return paths.filter { $0.hasSuffix("contents") }.map { root + "/" + $0 }.sorted()
    }()

    /// Returns one operation of each kind for the elements of the model.
    private func operations(_ session: EditorSession, _ version: String) -> [EditOperation] {
        let model = ElementReference(version: version, [])
        var result: [EditOperation] = [
            .add(parent: model, kind: "entity", values: [:], members: []),
            .add(parent: model, kind: "fetchRequest", values: [:], members: []),
            .add(parent: model, kind: "configuration", values: [:], members: []),
        ]
        let names = (session.snapshot(of: version).root?.c ?? []).filter { $0.k == "entity" }.compactMap {
            $0.a["name"]
        }
        if let name = names.first {
            // Move a box; in a model without positions, all boxes get one.
            let boxes = session.layout(
                of: version, names.map { CanvasBox(name: $0, x: 0, y: 0, width: 128, height: 59) })
            result.append(
                .arrange(
                    version: version,
                    boxes: boxes.map { box in
                        var box = box
                        box.x += 7_777
                        return box
                    }))
            result.append(
                .arrange(version: version, boxes: [CanvasBox(name: name, x: 7_777, y: 7_777, width: 128, height: 59)]))
            result.append(.connect(from: model.child("entity", name), to: model.child("entity", name)))
        }
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

    /// Checks that moving a box and saving changes only `<elements>`, and that undoing and saving restores the
    /// original.
    private static func movingABoxChangesOnlyElements(
        _ session: EditorSession, file: URL, original: Data
    ) throws {
        let root = session.snapshot(of: "Model").root
        guard let name = root?.c?.first(where: { $0.k == "entity" })?.a["name"] else { return }
        _ = try session.perform(
            .arrange(version: "Model", boxes: [CanvasBox(name: name, x: 7_777, y: 7_777, width: 128, height: 59)]))
        _ = try session.save()
        let lines = String(decoding: original, as: UTF8.self).split(separator: "\n")
        let saved = String(decoding: try Data(contentsOf: file), as: UTF8.self).split(separator: "\n")
        for change in saved.difference(from: lines) {
            guard case .insert(_, let line, _) = change else { continue }
            #expect(line.contains("element") || line.hasPrefix("</model>"), "\(line)")
        }
        #expect(saved.contains { $0.contains("positionX=\"7777\"") })
        _ = try session.undo()
        _ = try session.save()
        #expect(try Data(contentsOf: file) == original)
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
            let session = try? EditorSession(
                path: model.path, journalFolder: nil, isReadOnly: false, files: POSIXFileSystem())
        else { return }
        var count = 0
        let operations = operations(session, "Model").prefix(300)
        // Neighbors are edits of the same kind.
        let step = runsLongForms ? 1 : max(1, operations.count / 30)
        for index in stride(from: 0, to: operations.count, by: step) {
            let operation = operations[index]
            do {
                _ = try session.perform(operation)
                count += 1
            } catch {
                continue
            }
            let edited = session.bytes(ofVersion: "Model")
            #expect(edited != nil)
            guard try session.undo() != nil else { continue }
            #expect(!session.isEdited, "\(operation)")
        }
        #expect(count > 0)
        try Self.movingABoxChangesOnlyElements(session, file: contents, original: original)
        _ = try session.redo()
        _ = try session.undo()
        // A real change forces writing the file, and undoing it forces writing it again.
        _ = try session.perform(
            .add(parent: ElementReference(version: "Model", []), kind: "configuration", values: [:], members: []))
        _ = try session.save()
        _ = try session.undo()
        _ = try session.save()
        let saved = try Data(contentsOf: contents)
        #expect(saved == original, "\(path)")
    }
}
