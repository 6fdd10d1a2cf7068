import Combine
import CoreData

var changes: Set<AnyCancellable> = []
