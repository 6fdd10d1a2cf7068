#import <CoreData/CoreData.h>
@class Reader;
@interface Author : NSManagedObject
@end
@interface Tag (CoreDataProperties)
@end
