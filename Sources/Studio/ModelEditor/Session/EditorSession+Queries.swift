internal import Diagnostics
internal import ModelSchema
internal import ModelSource
internal import ModelcDriver

extension EditorSession {
    /// The current state.
    package var content: ModelContent {
        ModelContent(
            revision: revision, name: name, path: path, files: files, documents: documents, currentName: currentName)
    }

    /// Applies the first fix of a finding, as one undo step.
    ///
    /// - Parameters:
    ///   - number: The index of the finding when it was shown, by which findings with the same rule and element are
    ///     distinguished. Edits made since may have moved it.
    ///   - rule: The rule of the finding.
    ///   - element: The names from the entity down to the element of the finding.
    /// - Throws: `EditRejection` if there is no longer such a finding.
    package func fix(
        _ number: Int, rule: String, element: [String], version: String
    ) throws(EditRejection) -> Outcome {
        let found = (try? content.diagnostics(of: version)) ?? []
        let matching = found.indices.filter {
            found[$0].rule.rawValue == rule && (found[$0].element?.components ?? []) == element
        }
        guard let index = matching.contains(number) ? number : matching.count == 1 ? matching[0] : nil,
            let fix = found[index].fixes.first,
            let document = document(version), document.isEditable,
            let model = try? document.modelDocument(), let fixed = try? model.applying(fix.edits),
            let edited = try? ModelFormatter.document(fixed.source.bytes, path: document.path)
        else { throw EditRejection("the finding is out of date", help: "Look at the findings again.") }
        var operations: [EditOperation] = []
        Self.collect(from: document.root, to: edited.root, steps: [], version: version, operations: &operations)
        return try perform(.group(operations: operations, title: fix.title))
    }

    /// Collects the operations that give elements the XML attributes of their new state; fixes only change attributes.
    private static func collect(
        from old: XMLNode, to new: XMLNode, steps: [ElementReference.Step], version: String,
        operations: inout [EditOperation]
    ) {
        guard old != new else { return }
        let reference = ElementReference(version: version, steps)
        for attribute in new.attributes where old[attribute.name] != attribute.value {
            operations.append(.set(element: reference, attribute: attribute.name, value: attribute.value))
        }
        for attribute in old.attributes where new[attribute.name] == nil {
            operations.append(.set(element: reference, attribute: attribute.name, value: nil))
        }
        var seen: [ElementReference.Step: Int] = [:]
        for (one, other) in zip(old.children, new.children) {
            var step = ElementReference.Step(one.name, one.identity)
            let index = seen[step, default: 0]
            seen[step] = index + 1
            step.index = index
            collect(from: one, to: other, steps: steps + [step], version: version, operations: &operations)
        }
    }
}
