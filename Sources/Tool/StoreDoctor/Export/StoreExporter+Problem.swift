internal import Diagnostics

extension StoreExporter {
    /// Values of a property, or rows, that the output does not have as they are stored.
    package struct Problem: Sendable {
        /// What is wrong with the values or rows.
        enum Reason: String {
            /// Rows of an entity that the model does not have.
            case unknownEntity
            /// Rows of an abstract entity.
            case abstractEntity
            /// Rows whose key no import accepts.
            case invalidKey
            /// References to rows of an entity that the model does not have.
            case unknownDestination
            /// References to objects that an export does not contain.
            case missingObject
            /// Objects whose file an export lacks.
            case missingFile
            /// Values in files that cannot be read.
            case unreadableFile
            /// Strings that are not UTF-8.
            case invalidText
        }

        /// The name of the entity; for rows, of the root entity.
        var entity: String
        /// The name of the property; empty for whole rows.
        var property: String
        var reason: Reason
        /// The number of values or rows.
        var count: Int

        /// The problem, in one sentence.
        package var message: String {
            let subject =
                if reason == .missingFile {
                    "\(counted(count, "object")) of “\(entity)”"
                } else if property.isEmpty {
                    "\(counted(count, "row")) in the table of “\(entity)”"
                } else {
                    "\(counted(count, "value")) of “\(entity).\(property)”"
                }
            let isOne = count == 1
            let be = isOne ? "is" : "are"
            let predicate =
                switch reason {
                case .unknownEntity: "\(be) of an entity that the model does not have, and \(be) not exported"
                case .abstractEntity: "\(be) of an abstract entity, and \(be) not exported"
                case .invalidKey: "\(isOne ? "has a key" : "have keys") that cannot be imported"
                case .unknownDestination:
                    "\(isOne ? "refers" : "refer") to an entity that the model does not have, and \(be) not exported"
                case .missingObject:
                    isOne
                        ? "refers to an object that the export does not contain"
                        : "refer to objects that the export does not contain"
                case .missingFile: "\(be) not imported, because the export lacks \(isOne ? "its" : "their") file"
                case .unreadableFile:
                    isOne ? "is in an external file that cannot be read" : "are in external files that cannot be read"
                case .invalidText: "\(be) invalid UTF-8, and \(isOne ? "has" : "have") replacement characters"
                }
            return "\(subject) \(predicate)"
        }
    }
}
