/// The classes of a compiled model's keyed archive (Documentation/Formats/CompiledModel.md, 1.3).
package enum ArchivedClass: String, CaseIterable, Sendable {
    // The model.
    case model = "NSManagedObjectModel"
    case entity = "NSEntityDescription"
    case attribute = "NSAttributeDescription"
    case derivedAttribute = "NSDerivedAttributeDescription"
    case compositeAttribute = "NSCompositeAttributeDescription"
    case relationship = "NSRelationshipDescription"
    case fetchedProperty = "NSFetchedPropertyDescription"
    case fetchRequest = "NSFetchRequest"
    case fetchIndex = "NSFetchIndexDescription"
    case fetchIndexElement = "NSFetchIndexElementDescription"
    // Predicates.
    case comparisonPredicate = "NSComparisonPredicate"
    case compoundPredicate = "NSCompoundPredicate"
    case truePredicate = "NSTruePredicate"
    case falsePredicate = "NSFalsePredicate"
    case comparisonOperator = "NSComparisonPredicateOperator"
    case equalityOperator = "NSEqualityPredicateOperator"
    case matchingOperator = "NSMatchingPredicateOperator"
    case likeOperator = "NSLikePredicateOperator"
    case substringOperator = "NSSubstringPredicateOperator"
    case inOperator = "NSInPredicateOperator"
    case betweenOperator = "NSBetweenPredicateOperator"
    case customOperator = "NSCustomPredicateOperator"
    // Expressions.
    case constantExpression = "NSConstantValueExpression"
    case selfExpression = "NSSelfExpression"
    case variableExpression = "NSVariableExpression"
    case keyPathExpression = "NSKeyPathExpression"
    case keyPathSpecifier = "NSKeyPathSpecifierExpression"
    case functionExpression = "NSFunctionExpression"
    case setExpression = "NSSetExpression"
    case subqueryExpression = "NSSubqueryExpression"
    case aggregateExpression = "NSAggregateExpression"
    case anyKeyExpression = "NSAnyKeyExpression"
    case ternaryExpression = "NSTernaryExpression"
    case symbolicExpression = "NSSymbolicExpression"
    case fetchRequestExpression = "NSFetchRequestExpression"
    // Mapping models.
    case mappingModel = "NSMappingModel"
    case entityMapping = "NSEntityMapping"
    case propertyMapping = "NSPropertyMapping"
    // The models that Xcode embeds in mapping models (Documentation/Formats/MappingModel.md, 1.3).
    case editorModel = "XDPMModel"
    case editorPackage = "XDModelPackage"
    case editorEntity = "XDPMEntity"
    case editorAttribute = "XDPMAttribute"
    case editorRelationship = "XDPMRelationship"
    case editorStereotype = "XDUMLStereotypeImp"
    case editorSetting = "XDUMLPropertyImp"
    case editorClass = "XDUMLClassImp"
    case editorGeneralization = "XDUMLGeneralizationImp"
    // Foundation.
    case dictionary = "NSDictionary"
    case mutableDictionary = "NSMutableDictionary"
    case knownKeysDictionary = "NSKnownKeysDictionary1"
    case knownKeysMapping = "NSKnownKeysMappingStrategy1"
    case array = "NSArray"
    case mutableArray = "NSMutableArray"
    case set = "NSSet"
    case mutableSet = "NSMutableSet"
    case string = "NSString"
    case mutableString = "NSMutableString"
    case decimal = "NSDecimalNumberPlaceholder"
    case decimalNumber = "NSDecimalNumber"
    case date = "NSDate"
    case data = "NSData"
    case mutableData = "NSMutableData"
    case uuid = "NSUUID"
    case url = "NSURL"

    /// The class with this name, or `nil` for one that this library does not recognize.
    static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })

    /// The names of the class and its superclasses, as an archive lists them in `$classes`.
    var lineage: [String] { [rawValue] + superclasses + ["NSObject"] }

    private static let editorElement = ["XDUMLNamedElementImp", "XDUMLElementImp"]
    private static let editorClassifier = ["XDUMLClassifierImp", "XDUMLNamespaceImp"] + editorElement

    private var superclasses: [String] {
        switch self {
        case .attribute, .relationship, .fetchedProperty: ["NSPropertyDescription"]
        case .derivedAttribute, .compositeAttribute: ["NSAttributeDescription", "NSPropertyDescription"]
        case .fetchRequest: ["NSPersistentStoreRequest"]
        case .comparisonPredicate, .compoundPredicate, .truePredicate, .falsePredicate: ["NSPredicate"]
        case .comparisonOperator, .equalityOperator, .inOperator, .betweenOperator, .customOperator:
            ["NSPredicateOperator"]
        case .matchingOperator, .substringOperator: ["NSStringPredicateOperator", "NSPredicateOperator"]
        case .likeOperator: ["NSMatchingPredicateOperator", "NSStringPredicateOperator", "NSPredicateOperator"]
        case .constantExpression, .selfExpression, .variableExpression, .keyPathSpecifier, .functionExpression,
            .setExpression, .subqueryExpression, .aggregateExpression, .anyKeyExpression, .ternaryExpression,
            .symbolicExpression, .fetchRequestExpression:
            ["NSExpression"]
        case .keyPathExpression: ["NSFunctionExpression", "NSExpression"]
        case .mutableDictionary: ["NSDictionary"]
        case .knownKeysDictionary: ["NSKnownKeysDictionary", "NSMutableDictionary", "NSDictionary"]
        case .knownKeysMapping: ["NSKnownKeysMappingStrategy"]
        case .mutableArray: ["NSArray"]
        case .mutableSet: ["NSSet"]
        case .mutableString: ["NSString"]
        case .mutableData: ["NSData"]
        case .decimal: ["NSDecimalNumber", "NSNumber", "NSValue"]
        case .decimalNumber: ["NSNumber", "NSValue"]
        case .editorModel: ["XDModel"]
        case .editorPackage: ["XDUMLPackageImp", "XDUMLNamespaceImp"] + Self.editorElement
        case .editorEntity, .editorStereotype: [Self.editorClass.rawValue] + Self.editorClassifier
        case .editorClass: Self.editorClassifier
        case .editorAttribute, .editorRelationship:
            ["XDPMProperty", Self.editorSetting.rawValue] + Self.editorElement
        case .editorSetting, .editorGeneralization: Self.editorElement
        case .mappingModel, .entityMapping, .propertyMapping, .model, .entity, .fetchIndex, .fetchIndexElement,
            .dictionary, .array, .set, .string, .date, .data, .uuid,
            .url:
            []
        }
    }
}
