/// A reference to an element in a version: the path from the model down to it.
///
/// It consists of names instead of positions, so that it stays valid when other elements change. Elements with the same
/// kind and name, which only a model with errors has, are distinguished by their order.
package struct ElementReference: Codable, Hashable, Sendable {
    /// One element on the path.
    package struct Step: Codable, Hashable, Sendable {
        /// The XML element, such as `attribute`.
        package var kind: String
        /// The value of the XML attribute that identifies the element; `nil` for elements without one, such as
        /// `userInfo`.
        package var name: String?
        /// The index of the element among those with the same kind and name.
        package var index: Int

        /// Creates a step.
        package init(_ kind: String, _ name: String? = nil, index: Int = 0) {
            self.kind = kind
            self.name = name
            self.index = index
        }
    }

    /// The name of the version.
    package var version: String
    /// The elements from the outermost to the target; empty for the model itself.
    package var steps: [Step]

    /// Creates a reference.
    package init(version: String, _ steps: [Step]) {
        self.version = version
        self.steps = steps
    }

    /// The element that contains this one; `nil` for the model.
    package var parent: ElementReference? {
        steps.isEmpty ? nil : ElementReference(version: version, Array(steps.dropLast()))
    }

    /// Returns the reference of an element inside this one.
    package func child(_ kind: String, _ name: String? = nil, index: Int = 0) -> ElementReference {
        ElementReference(version: version, steps + [Step(kind, name, index: index)])
    }
}
