internal import ModelSchema

/// The Objective-C files of an entity as Xcode writes them, without their headers.
struct ObjectiveCCode {
    let entity: Entity
    /// The classes of the model's entities, by name.
    let classNames: [String: String]
    let style: ObjectiveCStyle
    /// The customizations from keys in the model; empty without features.
    var customization = EntityCustomization()

    private var className: String { entity.swiftClassName }

    private var parentClass: String? {
        customization.baseClass ?? parentEntityClass
    }

    private var parentEntityClass: String? {
        entity.parentName.flatMap { classNames[$0] }.flatMap { $0 == "NSManagedObject" ? nil : $0 }
    }

    private func destination(_ relationship: Relationship) -> String {
        relationship.destinationName.flatMap { classNames[$0] } ?? "NSManagedObject"
    }

    /// Returns the name of a class's header without extension.
    private func classFile(_ name: String) -> String { style == .xcode7 ? name : "\(name)+CoreDataClass" }

    /// The files of the class: header and source, by name.
    var classFiles: [(name: String, text: String)] {
        [("\(classFile(className)).h", classHeader), ("\(classFile(className)).m", classSource)]
    }

    /// The files of the properties: header and source, by name.
    var propertyFiles: [(name: String, text: String)] {
        let name = "\(className)+CoreDataProperties"
        return [("\(name).h", propertiesHeader), ("\(name).m", propertiesSource)]
    }

    // MARK: Properties

    private var propertiesHeader: String {
        var lines = ["#import \"\(classFile(className)).h\"", ""]
        lines += customImports.isEmpty ? [] : customImports + [""]
        if style != .xcode7 { lines.append("") }
        lines += ["NS_ASSUME_NONNULL_BEGIN", "", "@interface \(className) (CoreDataProperties)", ""]
        if style != .xcode7 {
            let name = style == .xcode13 ? " NS_SWIFT_NAME(fetchRequest())" : ""
            lines += ["+ (NSFetchRequest<\(className) *> *)fetchRequest\(name);", ""]
        }
        for attribute in entity.attributes {
            lines += comment(customization.attributes[attribute.name]?.documentation)
            lines.append("@property \(property(attribute))\(attribute.name);")
        }
        for relationship in entity.relationships {
            lines += comment(customization.propertyDocumentation[relationship.name])
            lines.append("@property (nullable, nonatomic, retain) \(type(relationship))\(relationship.name);")
        }
        lines += ["", "@end", ""]
        let toMany = entity.relationships.filter(\.isToMany)
        if !toMany.isEmpty {
            lines += ["@interface \(className) (CoreDataGeneratedAccessors)", ""]
            for relationship in toMany { lines += accessors(relationship) + [""] }
            lines += ["@end", ""]
        }
        return Self.text(lines + ["NS_ASSUME_NONNULL_END"])
    }

    private func type(_ relationship: Relationship) -> String {
        guard relationship.isToMany else { return "\(destination(relationship)) *" }
        return "\(relationship.isOrdered ? "NSOrderedSet" : "NSSet")<\(destination(relationship)) *> *"
    }

    private func accessors(_ relationship: Relationship) -> [String] {
        let name = relationship.name.prefix(1).uppercased() + relationship.name.dropFirst()
        let element = "\(destination(relationship)) *"
        var lines: [String] = []
        if relationship.isOrdered {
            lines = [
                "- (void)insertObject:(\(element))value in\(name)AtIndex:(NSUInteger)idx;",
                "- (void)removeObjectFrom\(name)AtIndex:(NSUInteger)idx;",
                "- (void)insert\(name):(NSArray<\(element)> *)value atIndexes:(NSIndexSet *)indexes;",
                "- (void)remove\(name)AtIndexes:(NSIndexSet *)indexes;",
                "- (void)replaceObjectIn\(name)AtIndex:(NSUInteger)idx withObject:(\(element))value;",
                "- (void)replace\(name)AtIndexes:(NSIndexSet *)indexes with\(name):(NSArray<\(element)> *)values;",
            ]
        }
        return lines + [
            "- (void)add\(name)Object:(\(element))value;", "- (void)remove\(name)Object:(\(element))value;",
            "- (void)add\(name):(\(type(relationship)))values;", "- (void)remove\(name):(\(type(relationship)))values;",
        ]
    }

    /// Returns a documentation comment. Removes backslashes at the ends of lines, which would make the next line part
    /// of the comment.
    private func comment(_ documentation: [String]?) -> [String] {
        (documentation ?? []).map { line in
            var line = line[...]
            while line.last == "\\" || line.last == " " || line.hasSuffix("??/") {
                line.removeLast(line.hasSuffix("??/") ? 3 : 1)
            }
            return line.isEmpty ? "///" : "/// \(line)"
        }
    }

    /// The imports that keys name.
    private var customImports: [String] {
        customization.imports.map { "@import \($0);" } + (customization.header.map { ["#import \"\($0)\""] } ?? [])
    }

    /// Returns the class of a transformable attribute's values.
    private func valueClass(_ attribute: Attribute) -> String {
        customization.attributes[attribute.name]?.customType ?? attribute.customType ?? "NSObject"
    }

    /// Returns the attributes and the type of a property, up to its name.
    private func property(_ attribute: Attribute) -> String {
        let custom = customization.attributes[attribute.name]
        let plain = plainProperty(attribute, protocols: custom?.protocols ?? [])
        // A derived attribute is read-only in Swift; Xcode does not make it read-only in Objective-C.
        guard custom?.isReadOnly ?? false, !attribute.isDerived, let end = plain.firstIndex(of: ")") else {
            return plain
        }
        return plain[..<end] + ", readonly" + plain[end...]
    }

    private func plainProperty(_ attribute: Attribute, protocols: [String]) -> String {
        if attribute.usesScalarType ?? false, let scalar = Self.scalarType(attribute.type) {
            return "(nonatomic) \(scalar) "
        }
        if attribute.type == .transformable {
            let list = protocols.isEmpty ? "" : "<\(protocols.joined(separator: ", "))>"
            let hasCustomType = customization.attributes[attribute.name]?.customType != nil
            let type =
                style == .xcode7 && !hasCustomType ? "id\(list) " : "\(valueClass(attribute))\(list) *"
            return "(nullable, nonatomic, retain) \(type)"
        }
        let storage = style == .xcode7 || attribute.type == .binary ? "retain" : "copy"
        return "(nullable, nonatomic, \(storage)) \(Self.objectType(attribute.type)) *"
    }

    private static func scalarType(_ type: AttributeType) -> String? {
        switch type {
        case .integer16: "int16_t"
        case .integer32: "int32_t"
        case .integer64: "int64_t"
        case .double: "double"
        case .float: "float"
        case .boolean: "BOOL"
        case .date: "NSTimeInterval"
        default: nil
        }
    }

    private static func objectType(_ type: AttributeType) -> String {
        switch type {
        case .integer16, .integer32, .integer64, .double, .float, .boolean: "NSNumber"
        case .decimal: "NSDecimalNumber"
        case .string: "NSString"
        case .date: "NSDate"
        case .binary: "NSData"
        case .uuid: "NSUUID"
        case .uri: "NSURL"
        case .objectID: "NSManagedObjectID"
        case .composite: "NSDictionary<NSString *, id>"
        case .transformable, .undefined: "NSObject"
        }
    }

    private var propertiesSource: String {
        var lines = [
            "#import \"\(className)+CoreDataProperties.h\"", "", "@implementation \(className) (CoreDataProperties)",
            "",
        ]
        if style != .xcode7 {
            let message =
                style.allocatesFetchRequests
                ? "[NSFetchRequest alloc] initWithEntityName:" : "NSFetchRequest fetchRequestWithEntityName:"
            lines += [
                "+ (NSFetchRequest<\(className) *> *)fetchRequest {", "\treturn [\(message)@\"\(entity.name)\"];", "}",
                "",
            ]
        }
        lines += (entity.attributes.map(\.name) + entity.relationships.map(\.name)).map { "@dynamic \($0);" }
        return Self.text(lines + ["", "@end"])
    }

    // MARK: Class

    private var classHeader: String {
        var lines = ["#import <Foundation/Foundation.h>"]
        // `additionalHeaderFileName` names the header of a custom base class.
        lines.append(
            customization.baseClass == nil
                ? parentClass.map { "#import \"\(classFile($0)).h\"" } ?? "#import <CoreData/CoreData.h>"
                : "#import <CoreData/CoreData.h>")
        lines += customImports + [""]
        var names = Set(destinations)
        for attribute in entity.attributes where attribute.type == .transformable {
            let isNamed = customization.attributes[attribute.name]?.customType != nil
            if style != .xcode7 || isNamed { names.insert(valueClass(attribute)) }
        }
        let protocols = Set(customization.attributes.values.flatMap(\.protocols))
        if !names.isEmpty { lines.append("@class \(names.sorted().joined(separator: ", "));") }
        if !protocols.isEmpty { lines.append("@protocol \(protocols.sorted().joined(separator: ", "));") }
        if !names.isEmpty || !protocols.isEmpty { lines.append("") }
        lines += ["NS_ASSUME_NONNULL_BEGIN", ""] + comment(customization.documentation)
        lines += ["@interface \(className) : \(parentClass ?? "NSManagedObject")", ""]
        if style == .xcode7 {
            lines += ["// Insert code here to declare functionality of your managed object subclass", ""]
        }
        lines += ["@end", "", "NS_ASSUME_NONNULL_END", "", "#import \"\(className)+CoreDataProperties.h\""]
        return Self.text(lines)
    }

    /// The classes of the relationships' destinations that headers declare and sources of old styles import, sorted.
    private var destinations: [String] {
        Set(entity.relationships.map(destination)).subtracting(["NSManagedObject", className, parentClass ?? ""])
            .sorted()
    }

    private var classSource: String {
        var lines = ["#import \"\(classFile(className)).h\""]
        let imports = destinations.map { "#import \"\(classFile($0)).h\"" }
        switch style {
        case .xcode8: lines += imports + (imports.isEmpty ? [""] : [])
        case .xcode7, .xcode8_3: lines += imports.flatMap { [$0, ""] } + (imports.isEmpty ? [""] : [])
        case .xcode9, .xcode9_3, .xcode13: lines.append("")
        }
        lines += ["@implementation \(className)", ""]
        if style == .xcode7 {
            lines += ["// Insert code here to add functionality to your managed object subclass", ""]
        }
        return Self.text(lines + ["@end"])
    }

    // MARK: Model

    /// Returns the files of the model: a header that imports the classes, and a source that imports the header.
    static func modelFiles(_ modelName: String, classes: [String], style: ObjectiveCStyle) -> [(
        name: String, text: String
    )] {
        let name = "\(modelName)+CoreDataModel"
        let imports = classes.map { "#import \"\($0)\(style == .xcode7 ? "" : "+CoreDataClass").h\"" }
        let header = ["#import <Foundation/Foundation.h>", "#import <CoreData/CoreData.h>", ""] + imports
        return [("\(name).h", text(header)), ("\(name).m", text(["#import \"\(name).h\""]))]
    }

    private static func text(_ lines: [String]) -> String { lines.joined(separator: "\n") + "\n" }
}
