/// The modules available to Swift on Linux, and the frameworks available only on Apple's platforms.
package enum LinuxModules {
    /// Returns whether the module can be imported on Linux with this package's `CoreData` and `SwiftData`, or `nil` for
    /// modules of other packages.
    package static func isAvailable(_ module: String) -> Bool? {
        if frameworks.contains(module) { return false }
        return modules.contains(module) ? true : nil
    }

    /// The modules of the toolchain, and those of this package.
    private static let modules: Set<String> = [
        "CoreData", "CoreFoundation", "Cxx", "CxxStdlib", "Dispatch", "Distributed", "Foundation",
        "FoundationEssentials",
        "FoundationInternationalization", "FoundationNetworking", "FoundationXML", "Glibc", "Observation",
        "RegexBuilder", "Swift", "SwiftData", "Synchronization", "Testing", "XCTest", "_Concurrency",
        "_Differentiation",
        "_StringProcessing",
    ]

    /// The frameworks and modules of Apple's SDKs.
    private static let frameworks: Set<String> = [
        "ARKit", "AVFAudio", "AVFoundation", "AVKit", "AVRouting", "Accelerate", "Accessibility", "Accounts",
        "ActivityKit", "AdServices", "AdSupport", "AddressBook", "AlarmKit", "AppIntents", "AppKit",
        "AppTrackingTransparency", "ApplicationServices", "AudioToolbox", "AudioUnit", "AuthenticationServices",
        "AutomaticAssessmentConfiguration", "BackgroundTasks", "BusinessChat", "CFNetwork", "CallKit", "CarPlay",
        "Carbon", "Charts", "ClassKit", "ClockKit", "CloudKit", "Cocoa", "Combine", "CommonCrypto", "Compression",
        "Contacts", "ContactsUI", "CoreAudio", "CoreAudioKit", "CoreBluetooth", "CoreGraphics",
        "CoreHaptics", "CoreImage", "CoreLocation", "CoreLocationUI", "CoreMIDI", "CoreML", "CoreMedia", "CoreMotion",
        "CoreNFC", "CoreServices", "CoreSpotlight", "CoreTelephony", "CoreText", "CoreTransferable", "CoreVideo",
        "CoreWLAN", "CreateML", "CryptoKit", "CryptoTokenKit", "Darwin", "DeveloperToolsSupport", "DeviceActivity",
        "DeviceCheck", "DeviceDiscoveryUI", "DiskArbitration", "EventKit", "EventKitUI", "ExposureNotification",
        "ExtensionFoundation", "ExtensionKit", "ExternalAccessory", "FamilyControls", "FileProvider", "FileProviderUI",
        "FinanceKit", "FinderSync", "FoundationModels", "GLKit", "GameController", "GameKit", "GameplayKit",
        "GroupActivities", "HealthKit", "HealthKitUI", "HomeKit", "IOKit", "IOSurface", "IdentityLookup", "ImageIO",
        "InputMethodKit", "Intents", "IntentsUI", "JavaScriptCore", "JournalingSuggestions", "LinkPresentation",
        "LocalAuthentication", "MLCompute", "MachO", "ManagedSettings", "MapKit", "MediaAccessibility", "MediaPlayer",
        "MessageUI", "Messages", "Metal", "MetalKit", "MetalPerformanceShaders", "MetricKit", "MobileCoreServices",
        "ModelIO", "MultipeerConnectivity", "MusicKit", "NaturalLanguage", "NearbyInteraction", "Network",
        "NetworkExtension", "NotificationCenter", "OSLog", "ObjectiveC", "OpenAL", "OpenGLES", "PDFKit", "PHASE",
        "PassKit", "PencilKit", "Photos", "PhotosUI", "PlaygroundSupport", "ProximityReader", "PushKit", "PushToTalk",
        "Quartz", "QuartzCore", "QuickLook", "QuickLookThumbnailing", "QuickLookUI", "RealityKit", "ReplayKit",
        "RoomPlan", "SafariServices", "SceneKit", "ScreenCaptureKit", "ScreenSaver", "ScreenTime", "Security",
        "SensitiveContentAnalysis", "SensorKit", "ServiceManagement", "SharedWithYou", "ShazamKit", "Social",
        "SoundAnalysis", "Speech", "SpriteKit", "StoreKit", "StoreKitTest", "SwiftUI", "SwiftUICore",
        "SystemConfiguration", "SystemExtensions", "TVMLKit", "TVServices", "TVUIKit", "TabularData", "ThreadNetwork",
        "TipKit", "Translation", "UIKit", "UniformTypeIdentifiers", "UserNotifications", "UserNotificationsUI",
        "VideoSubscriberAccount", "VideoToolbox", "Virtualization", "Vision", "VisionKit", "WatchConnectivity",
        "WatchKit", "WeatherKit", "WebKit", "WidgetKit", "WorkoutKit", "XPC", "iAd", "os",
        "simd",
    ]
}
