// Code written for Apple's Core Data gets Foundation with it.
@_exported public import Foundation
