/// Renders parsed templates. Nothing is escaped: the output is code, not HTML.
struct MustacheRenderer {
    private var stack: [RenderValue]
    private var output = ""

    /// Returns the text of a template rendered with an object.
    static func render(_ nodes: [MustacheNode], _ object: RenderObject) -> String {
        var renderer = MustacheRenderer(stack: [.object(object)])
        renderer.output.reserveCapacity(4096)
        renderer.render(nodes)
        return renderer.output
    }

    private init(stack: [RenderValue]) {
        self.stack = stack
    }

    private mutating func render(_ nodes: [MustacheNode]) {
        for node in nodes {
            switch node {
            case .text(let text):
                output += text
            case .variable(let path):
                switch value(path) {
                case .string(let text)?: output += text
                case .bool(let truth)?: output += truth ? "true" : "false"
                case .list?, .object?, nil: break
                }
            case .section(let path, let isInverted, let inner):
                let value = value(path)
                if isInverted {
                    if !Self.isTrue(value) { render(inner) }
                } else if let value, Self.isTrue(value) {
                    render(inner, for: value)
                }
            case .partial(let inner):
                render(inner)
            }
        }
    }

    private mutating func render(_ nodes: [MustacheNode], for value: RenderValue) {
        guard case .list(let objects) = value else {
            if case .bool = value { return render(nodes) }
            return render(nodes, inside: value)
        }
        for object in objects { render(nodes, inside: .object(object)) }
    }

    private mutating func render(_ nodes: [MustacheNode], inside value: RenderValue) {
        stack.append(value)
        render(nodes)
        stack.removeLast()
    }

    /// Returns whether a value is true: missing values, `false`, empty lists and empty strings are not.
    private static func isTrue(_ value: RenderValue?) -> Bool {
        switch value {
        case .bool(let truth)?: truth
        case .string(let text)?: !text.isEmpty
        case .list(let objects)?: !objects.isEmpty
        case .object?: true
        case nil: false
        }
    }

    private func value(_ path: MustachePath) -> RenderValue? {
        guard let first = path.parts.first else { return stack.last }
        var index = stack.count - 1
        while index >= 0 {
            if case .object(let object) = stack[index], var found = Self.value(first, in: object) {
                for part in path.parts.dropFirst() {
                    guard case .object(let inner) = found, let next = Self.value(part, in: inner) else { return nil }
                    found = next
                }
                return found
            }
            index -= 1
        }
        return nil
    }

    private static func value(_ part: MustachePath.Part, in object: RenderObject) -> RenderValue? {
        if let name = part.name, let value = object[name] { return value }
        return object[free: part.text]
    }
}
