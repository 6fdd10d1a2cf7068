/// Puts the values that are the same in every file of a run into the templates once, before they are rendered hundreds of
/// times: most tags of the built-in templates are such.
///
/// This is sound because a `RenderName` means one thing: no object of an entity or a property has a name that the run has.
struct MustacheSpecializer {
    /// The object with the values of the run.
    let common: RenderObject

    /// The nodes with the run's values in them, and with adjacent texts joined.
    func specialize(_ nodes: [MustacheNode]) -> [MustacheNode] {
        var result: [MustacheNode] = []
        append(nodes, to: &result)
        return result
    }

    private func append(_ nodes: [MustacheNode], to result: inout [MustacheNode]) {
        for node in nodes {
            switch node {
            case .text(let text):
                append(text, to: &result)
            case .variable(let path):
                switch value(path) {
                case .string(let text)?: append(text, to: &result)
                case .bool(let truth)?: append(truth ? "true" : "false", to: &result)
                case .list?, .object?, nil: result.append(node)
                }
            case .section(let path, let isInverted, let inner):
                if case .bool(let truth)? = value(path) {
                    if truth != isInverted { append(inner, to: &result) }
                } else {
                    result.append(.section(path, isInverted: isInverted, specialize(inner)))
                }
            case .partial(let inner):
                append(inner, to: &result)
            }
        }
    }

    private func append(_ text: String, to result: inout [MustacheNode]) {
        if case .text(let before)? = result.last {
            result[result.count - 1] = .text(before + text)
        } else if !text.isEmpty {
            result.append(.text(text))
        }
    }

    /// The value that a path has in every file, or nil.
    private func value(_ path: MustachePath) -> RenderValue? {
        guard path.parts.count == 1, let name = path.parts.first?.name else { return nil }
        return common[name]
    }
}
