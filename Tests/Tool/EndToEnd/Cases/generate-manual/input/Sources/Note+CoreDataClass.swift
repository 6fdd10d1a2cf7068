// Written by hand.
import CoreData
