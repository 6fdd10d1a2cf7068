internal import SwiftSources

/// The modules that copies import in place of Apple's frameworks: those that a source imports and does not use, as
/// sources from Xcode's file templates do, and those that another module stands for.
enum FrameworkReplacement {
    /// The module with the API of `os`.
    static let logging = "UnifiedLogging"
    /// The modules with Combine's API, best first.
    static let combine = ["OpenCombineShim", "OpenCombine"]

    /// Returns the module that can be imported in place of a framework; `nil` if the source needs the framework, or if
    /// Linux has the module.
    ///
    /// - Parameter available: The modules of other packages that the target can import.
    static func module(
        for site: SwiftFile.ImportSite, in source: ManagedSource, available: Set<String>
    ) -> String? {
        if site.module == "os" || site.module == "OSLog" {
            return uses(source, prefixes: [], names: loggingNames) ? nil : logging
        }
        guard !site.isScoped, site.submoduleRange.isEmpty else { return nil }
        let plain = source.file.namesCoreData ? "CoreData" : "Foundation"
        switch site.module {
        case "UIKit": return uses(source, prefixes: ["UI"], names: uiKitNames, except: ["UIKit"]) ? nil : plain
        case "AppKit": return uses(source, prefixes: [], names: appKitNames) ? nil : plain
        case "Cocoa": return uses(source, prefixes: [], names: appKitNames) ? nil : "CoreData"
        case "CoreGraphics":
            return uses(source, prefixes: ["CG"], names: [], except: ["CGFloat", "CGPoint", "CGRect", "CGSize"])
                ? nil : "Foundation"
        case "ObjectiveC": return uses(source, prefixes: [], names: objectiveCNames) ? nil : "Foundation"
        case "Combine": return usesCombine(source) ? combine.first(where: available.contains) : "Foundation"
        case "SwiftUI":
            if uses(source, prefixes: [], names: swiftUINames) { return nil }
            return usesCombine(source) ? combine.first(where: available.contains) : plain
        default: return prefixes[site.module].flatMap { uses(source, prefixes: $0, names: []) ? nil : plain }
        }
    }

    private static func usesCombine(_ source: ManagedSource) -> Bool { uses(source, prefixes: [], names: combineNames) }

    /// Returns whether a source has a word with one of the prefixes, followed by an uppercase letter, or one of the
    /// names.
    private static func uses(
        _ source: ManagedSource, prefixes: [String], names: Set<String>, except allowed: Set<String> = []
    ) -> Bool {
        guard names.isDisjoint(with: source.file.words) else { return true }
        return !prefixes.isEmpty
            && source.file.words.contains { word in
                prefixes.contains { prefix in
                    word.hasPrefix(prefix) && word.dropFirst(prefix.count).first?.isUppercase ?? false
                        && !allowed.contains(word)
                }
            }
    }

    /// The prefixes of all names of other frameworks.
    private static let prefixes: [String: [String]] = [
        "CloudKit": ["CK"], "CoreLocation": ["CL", "kCL"], "CoreSpotlight": ["CS", "NSCoreDataCoreSpotlight"],
        "MapKit": ["MK", "CL"], "QuartzCore": ["CA"], "StoreKit": ["SK"], "UserNotifications": ["UN"],
        "WatchKit": ["WK"], "WebKit": ["WK"],
    ]

    /// The names of `os` that the logging module lacks.
    private static let loggingNames: Set<String> = [
        "OSLogEntry", "OSLogEntryLog", "OSLogStore", "os_activity_initiate", "os_proc_available_memory",
    ]

    private static let combineNames: Set<String> = [
        "AnyCancellable", "AnyPublisher", "AnySubscriber", "Cancellable", "ConnectableObservable",
        "ConnectablePublisher",
        "CurrentValueSubject", "CustomCombineIdentifierConvertible", "Deferred", "Empty", "Fail", "Future", "Just",
        "ObservableObject", "ObservableObjectPublisher", "PassthroughSubject", "Published", "Publisher", "Publishers",
        "Record", "Scheduler", "Subject", "Subscriber", "Subscribers", "Subscription", "Subscriptions",
        "TopLevelDecoder", "TopLevelEncoder", "assign", "dataTaskPublisher", "eraseToAnyPublisher", "objectWillChange",
        "publish", "publisher", "sink",
    ]

    private static let swiftUINames: Set<String> = [
        "Animation", "App", "AppStorage", "Binding", "Button", "Color", "ContentView", "Environment", "EnvironmentKey",
        "EnvironmentObject", "EnvironmentValues", "FetchRequest", "FetchedResults", "FocusState", "Font", "ForEach",
        "Form", "GeometryReader", "Group", "HStack", "Image", "Label", "LazyHStack", "LazyVStack", "List",
        "NavigationLink", "NavigationStack", "NavigationView", "ObservedObject", "Picker", "PreviewProvider", "Scene",
        "SceneStorage", "ScrollView", "Section", "SectionedFetchRequest", "SectionedFetchResults", "Shape", "Spacer",
        "State", "StateObject", "TabView", "Text", "TextField", "Toggle", "UIApplicationDelegateAdaptor",
        "UIHostingController", "UIViewControllerRepresentable", "UIViewRepresentable", "VStack", "View", "ViewBuilder",
        "ViewModifier", "WindowGroup", "ZStack", "withAnimation",
    ]

    private static let shared: Set<String> = [
        "NSCollectionLayoutSection", "NSDiffableDataSourceSnapshot", "NSDiffableDataSourceSectionSnapshot",
        "NSFileProviderExtension", "NSLayoutAnchor", "NSLayoutConstraint", "NSLayoutManager", "NSParagraphStyle",
        "NSMutableParagraphStyle", "NSShadow", "NSTextAlignment", "NSTextAttachment", "NSTextContainer",
        "NSTextStorage",
        "NSUnderlineStyle", "QLPreviewController",
    ]

    private static let uiKitNames: Set<String> = shared.union([
        "CADisplayLink", "CALayer", "CATransaction", "CIColor", "CIImage", "CGColor", "CGContext", "CGImage", "CGPath",
        "NSDataAsset",
    ])

    private static let appKitNames: Set<String> = shared.union([
        "NSAlert", "NSApp", "NSApplication", "NSApplicationDelegate", "NSApplicationMain", "NSArrayController",
        "NSBezierPath", "NSBox", "NSButton", "NSClickGestureRecognizer", "NSCollectionView", "NSColor", "NSComboBox",
        "NSControl", "NSController", "NSCursor", "NSDocument", "NSDocumentController", "NSDraggingInfo", "NSEvent",
        "NSFont", "NSFontManager", "NSImage", "NSImageView", "NSMenu", "NSMenuItem", "NSNib", "NSObjectController",
        "NSOpenPanel", "NSOutlineView", "NSPanel", "NSPasteboard", "NSPersistentDocument", "NSPopUpButton",
        "NSProgressIndicator", "NSResponder", "NSSavePanel", "NSScreen", "NSScrollView", "NSSearchField", "NSSlider",
        "NSSplitView", "NSSplitViewController", "NSStackView", "NSStatusBar", "NSStoryboard", "NSStoryboardSegue",
        "NSTabView", "NSTableCellView", "NSTableColumn", "NSTableRowView", "NSTableView", "NSTextField", "NSTextView",
        "NSToolbar", "NSTreeController", "NSUserInterfaceItemIdentifier", "NSView", "NSViewController", "NSWindow",
        "NSWindowController", "NSWorkspace",
    ])

    private static let objectiveCNames: Set<String> = [
        "class_getName", "class_getInstanceMethod", "method_exchangeImplementations", "object_getClass", "sel_getName",
    ]
}
