// `import SwiftData` alone offers Foundation, Observation and the predicate operators, as on Apple's platforms. What
// Foundation lacks on Linux (`UndoManager`, `ValueTransformer`, localized predicate operators) comes from CoreData.
@_exported public import CoreData
@_exported public import Foundation
@_exported public import Observation
