// Code written for Apple's Core Data expects Foundation to be imported with it; this also exports what Foundation lacks
// on Linux.
@_exported public import CoreDataFoundationExtras
@_exported public import Foundation
