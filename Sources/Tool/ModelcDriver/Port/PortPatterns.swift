internal import SwiftSources

/// The table of `modelc port`: what differs on Linux with this package's `CoreData` and the Foundation of Swift 6.
///
/// Each entry was compiled on Linux; `PortPatternTests` has an example of each, and a valid one that resembles it.
enum PortPatterns {
    static let all: [PortPattern] = coreData + objectiveC + foundation + other

    // MARK: Core Data

    private static let coreData = [
        PortPattern(
            id: "cloudkit-container", effect: .note,
            forms: [.names(["NSPersistentCloudKitContainer", "NSPersistentCloudKitContainerOptions"])],
            message: "the container stores locally and syncs nothing",
            edit: "use NSPersistentContainer between #if os(Linux) and #endif"),
        PortPattern(
            id: "core-spotlight", forms: [.names(["NSCoreDataCoreSpotlightDelegate"])],
            message: "Linux has no Core Spotlight", edit: "put the code between #if canImport(CoreSpotlight) and #endif"
        ),
        PortPattern(
            id: "swiftui-fetch", forms: [.attributes(["FetchRequest", "SectionedFetchRequest"])],
            message: "the property wrapper belongs to SwiftUI",
            edit: "put the view between #if canImport(SwiftUI) and #endif; on Linux use NSFetchedResultsController"),
        PortPattern(
            id: "diffable-snapshot",
            forms: [.names(["NSDiffableDataSourceSnapshot", "NSDiffableDataSourceSnapshotReference"])],
            message: "diffable data sources belong to UIKit and AppKit",
            edit: "implement controllerDidChangeContent(_:), or put the code between #if canImport(UIKit) and #endif"),
        PortPattern(
            id: "momd-of-main-bundle", effect: .note,
            forms: [
                .test { tokens, index in
                    guard tokens[index].is("Bundle"), tokens[index...].prefix(3).map(\.text) == ["Bundle", ".", "main"]
                    else { return false }
                    return tokens[index...].prefix(10).contains { $0.is("forResource") }
                }
            ],
            message: "the resources of a target are in its own bundle, not in Bundle.main",
            edit: "use Bundle.module, or NSPersistentContainer(name:), which searches both"),
    ]

    // MARK: Objective-C

    private static let objectiveC = [
        PortPattern(
            id: "optional-requirement",
            forms: [
                .test { tokens, index in
                    guard tokens[index].is("optional"), index + 1 < tokens.count,
                        ["func", "var", "static", "subscript"].contains(tokens[index + 1].text)
                    else { return false }
                    // The modifier follows an attribute or begins the declaration. `case optional` and `.optional` are
                    // names.
                    return index == 0 || ![".", ",", "case", "let", "var", "=", ":"].contains(tokens[index - 1].text)
                }
            ],
            message: "protocols on Linux have no optional requirements",
            edit: "remove “optional” and give the requirement a default implementation in an extension of the protocol"),
        PortPattern(
            id: "selector",
            forms: [
                .test { tokens, index in tokens[index].kind == .pound && tokens[index].text == "selector" }
            ],
            message: "the class of the method is not known",
            edit: "name the class: #selector(Class.method), or use the variant of the API that takes a closure"),
        PortPattern(
            id: "perform-selector",
            forms: [
                .sequence(["perform", "(", "#selector"]), .sequence(["perform", "(", "Selector"]),
                .sequence(["responds", "(", "to", ":"]), .sequence(["instancesRespond", "(", "to", ":"]),
                .names(["NSSelectorFromString", "NSStringFromSelector"]),
            ],
            message: "methods cannot be called or looked up by selector", edit: "call the method, or use a protocol"),
        PortPattern(
            id: "class-from-string", effect: .note, forms: [.names(["NSClassFromString"])],
            message: "the name of a class includes its module", edit: "write NSClassFromString(\"Module.Class\")"),
        PortPattern(
            id: "nested-class-name",
            forms: [
                .test { tokens, index in
                    // `NSStringFromClass(Outer.Inner.self)`
                    guard tokens[index].is("NSStringFromClass"), index + 6 < tokens.count else { return false }
                    let texts = tokens[index...].prefix(7).map(\.text)
                    return texts[1] == "(" && texts[3] == "." && texts[5] == "." && texts[6] == "self"
                }
            ],
            message: "the function traps for nested classes", edit: "write String(reflecting: Outer.Inner.self)"),
        PortPattern(
            id: "objective-c-runtime",
            forms: [
                .names([
                    "objc_getClass", "objc_allocateClassPair", "objc_copyClassList", "object_getClass",
                    "object_setClass", "class_getInstanceMethod", "class_getClassMethod", "class_addMethod",
                    "class_replaceMethod", "class_copyPropertyList", "class_copyMethodList", "class_getName",
                    "method_exchangeImplementations", "method_getImplementation", "method_setImplementation",
                    "imp_implementationWithBlock", "protocol_getName", "property_getName",
                ])
            ],
            message: "there is no Objective-C runtime",
            edit: "put the code between #if canImport(ObjectiveC) and #endif"),
        PortPattern(
            id: "key-value-observing", effect: .note,
            forms: [
                .test { tokens, index in
                    tokens[index...].prefix(5).map(\.text) == [".", "observe", "(", "\\", "."]
                }
            ],
            message: "only managed objects and the runtime's own classes can be observed",
            edit: "for other classes use a closure, a notification or @Observable"),
        PortPattern(
            id: "progress-observing",
            forms: [
                .test { tokens, index in
                    // `progress.observe(\.isFinished` or `publisher(for: \Progress.isFinished`.
                    guard tokens[index].is("."), index + 1 < tokens.count,
                        ["observe", "publisher"].contains(tokens[index + 1].text)
                    else { return false }
                    let call = tokens[index...].prefix(9).map(\.text)
                    guard let root = call.firstIndex(of: "\\"), let dot = call[root...].firstIndex(of: "."),
                        dot - root <= 1 || call[root + 1] == "Progress", dot + 1 < call.count
                    else { return false }
                    return ["fractionCompleted", "completedUnitCount", "isFinished", "isCancelled"].contains(
                        call[dot + 1])
                }
            ],
            message: "the progress of Foundation cannot be observed",
            edit: "read it where the work is done, or use cancellationHandler and a timer"),
        PortPattern(
            id: "observe-value",
            forms: [.sequence(["override", "func", "observeValue", "("])],
            message: "NSObject has no such method",
            edit: "declare it without override in a class that conforms to KeyValueObserver"),
        PortPattern(
            id: "interface-builder",
            forms: [.attributes(["IBOutlet", "IBAction", "IBInspectable", "IBDesignable", "IBSegueAction"])],
            message: "Interface Builder's attributes need Objective-C",
            edit: "put the code between #if canImport(UIKit) and #endif"),
        PortPattern(
            id: "error-pointer", forms: [.names(["NSErrorPointer"])],
            message: "there are no pointers to errors", edit: "write a function that throws"),
        PortPattern(
            id: "exception", forms: [.names(["NSException"])],
            message: "there are no Objective-C exceptions", edit: "use fatalError(_:), or throw an error"),
    ]

    // MARK: Foundation

    private static let networkingNames: Set<String> = [
        "URLSession", "URLRequest", "NSMutableURLRequest", "URLResponse", "HTTPURLResponse", "URLSessionConfiguration",
        "URLSessionTask", "URLSessionDataTask", "URLSessionDownloadTask", "URLSessionDelegate", "URLProtocol",
        "URLCache", "URLCredential", "HTTPCookie", "HTTPCookieStorage",
    ]

    private static let foundation = [
        PortPattern(
            id: "foundation-networking", forms: [.names(networkingNames)],
            message: "the type is in the module FoundationNetworking",
            edit: "add: #if canImport(FoundationNetworking) / import FoundationNetworking / #endif"),
        PortPattern(
            id: "foundation-xml",
            forms: [.names(["XMLParser", "XMLParserDelegate", "XMLDocument", "XMLElement", "XMLNode"])],
            message: "the type is in the module FoundationXML",
            edit: "add: #if canImport(FoundationXML) / import FoundationXML / #endif"),
        PortPattern(
            id: "format-arguments", forms: [.names(["CVaListPointer"])],
            message: "predicates cannot be made of a va_list", edit: "use NSPredicate(format:argumentArray:)"),
        PortPattern(
            id: "app-group", effect: .note,
            forms: [.sequence(["containerURL", "("])],
            message: "there are no app groups, so that the folder is nil",
            edit: "choose another folder between #if os(Linux) and #endif"),
        PortPattern(
            id: "icloud",
            forms: [
                .names(["NSUbiquitousKeyValueStore", "NSMetadataQuery"]), .members(["ubiquityIdentityToken"]),
                .sequence(["forUbiquityContainerIdentifier", ":"]),
            ],
            message: "Linux has no iCloud", edit: "put the code between #if canImport(CloudKit) and #endif"),
        PortPattern(
            id: "file-coordination", forms: [.names(["NSFileCoordinator", "NSFilePresenter"])],
            message: "there is no file coordination", edit: "access the file directly between #if os(Linux) and #endif"),
        PortPattern(
            id: "file-protection", effect: .note,
            forms: [
                .names(["FileProtectionType", "NSPersistentStoreFileProtectionKey"]),
                .members(["completeFileProtection", "completeFileProtectionUnlessOpen", "protectionKey"]),
            ],
            message: "file protection has no effect", edit: "encrypt the disk, or restrict the file's permissions"),
        PortPattern(
            id: "missing-formatter",
            forms: [
                .names([
                    "RelativeDateTimeFormatter", "ListFormatter", "DateComponentsFormatter", "MeasurementFormatter",
                ])
            ],
            message: "the formatter is not available",
            edit: "use formatted() and FormatStyle, or format the text yourself"),
        PortPattern(
            id: "missing-class",
            forms: [
                .names([
                    "NSDataDetector", "NSLinguisticTagger", "NSUserActivity", "NSItemProvider", "NSExtensionContext",
                    "DistributedNotificationCenter", "NSXPCConnection", "LocalizedStringResource",
                ])
            ],
            message: "the class is not in the Foundation of Linux",
            edit: "put the code between #if canImport(ObjectiveC) and #endif"),
        PortPattern(
            id: "expiring-activity", forms: [.members(["performExpiringActivity"])],
            message: "the system does not suspend programs",
            edit: "call the block directly between #if os(Linux) and #endif"),
        PortPattern(
            id: "absolute-time", forms: [.names(["CACurrentMediaTime"])],
            message: "the function is not available",
            edit: "use ProcessInfo.processInfo.systemUptime, or ContinuousClock"),
    ]

    // MARK: Other frameworks whose names need no import on Apple's platforms

    private static let other = [
        PortPattern(
            id: "combine",
            forms: [
                .attributes(["Published"]), .names(["ObservableObject", "AnyCancellable", "PassthroughSubject"]),
                .sequence([".", "publisher", "(", "for", ":"]),
            ],
            message: "Linux has no Combine",
            edit: "use Observation and asynchronous sequences, or the package OpenCombine"),
        PortPattern(
            id: "logging",
            forms: [.names(["os_log", "OSLog", "OSAllocatedUnfairLock", "os_signpost"])],
            message: "Linux has no module os", edit: "import os: copies import UnifiedLogging in its place"),
        PortPattern(
            id: "linked-framework", forms: [.sequence(["linkedFramework", "("])],
            message: "Linux has no frameworks to link", edit: "add the condition .when(platforms: [.iOS, .macOS])"),
    ]
}
