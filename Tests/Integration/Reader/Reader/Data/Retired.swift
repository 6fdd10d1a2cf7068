import Foundation

/// Belongs to no target.
let retired = missing
