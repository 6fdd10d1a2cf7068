/// The class of an entity as the model names it (`representedClassName`; Documentation/Formats/ModelSource.md, 4.3).
package struct ClassName: Hashable, Sendable {
    /// The module that qualifies the class.
    package enum Module: Hashable, Sendable {
        /// No module: the class has a global Objective-C name, `@objc(Book)`.
        case none
        /// A leading dot: the module that the model is compiled into ("Current Product Module").
        case currentProduct
        /// A module by name; it may have dots itself.
        case named(String)
    }

    /// The value as written; empty when the model has none.
    package let text: String

    /// The class name without its module: the part after the last dot.
    package let name: String

    /// Creates a class name from a `representedClassName`; an absent one is the empty string.
    package init(_ text: String) {
        self.text = text
        if let dot = text.utf8.lastIndex(of: UInt8(ascii: ".")) {
            name = String(text[text.utf8.index(after: dot)...])
        } else {
            name = text
        }
    }

    /// Whether the entity has a custom class other than `NSManagedObject`.
    package var isCustom: Bool {
        !text.isEmpty && text != "NSManagedObject" && text != ".NSManagedObject"
    }

    /// The module that qualifies the name.
    package var module: Module {
        guard let dot = text.utf8.lastIndex(of: UInt8(ascii: ".")) else { return .none }
        let module = String(text[..<dot])
        return module.isEmpty ? .currentProduct : .named(module)
    }
}
