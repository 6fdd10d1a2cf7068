import Foundation

/// Whether tests run in their long forms, with every combination of arguments: `MODELC_NIGHTLY` is set, as
/// Scripts/nightly.sh does.
public let runsLongForms = ProcessInfo.processInfo.environment["MODELC_NIGHTLY"] != nil
