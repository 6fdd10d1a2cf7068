public import Foundation

/// The current date in predicates and derived attributes.
public enum CurrentDate {
    /// A date that replaces the system clock while a task makes reproducible stores, in seconds since 2001-01-01 00:00
    /// UTC.
    @TaskLocal public static var fixed: TimeInterval?

    /// The fixed date, or that of the system clock, in seconds since 2001-01-01 00:00 UTC.
    public static var now: TimeInterval { fixed ?? Date().timeIntervalSinceReferenceDate }
}
