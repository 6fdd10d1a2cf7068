#import "Bridge.h"
