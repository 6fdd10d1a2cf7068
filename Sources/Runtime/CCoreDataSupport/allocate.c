#include "CCoreDataSupport.h"

#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

/// Of the Swift runtime; part of its stable interface.
extern void *swift_allocObject(const void *metadata, size_t size, size_t alignmentMask);
extern void *swift_tryRetain(void *object);
extern bool swift_isUniquelyReferenced_nonNull_native(const void *object);

/// The part of a class's metadata that says how large an instance is. Without Objective-C it begins with the kind and
/// the superclass (docs/ABI/TypeMetadata.rst of the Swift project).
struct class_metadata {
    const void *kind;
    const void *superclass;
    uint32_t flags;
    uint32_t instance_address_point;
    uint32_t instance_size;
    uint16_t instance_alignment_mask;
    uint16_t reserved;
    uint32_t class_size;
    uint32_t class_address_point;
    const void *description;
    const void *instance_variable_destroyer;
};

/// The object header: metadata and reference counts.
static const size_t header_size = 2 * sizeof(void *);

void *cd_allocate_zeroed(const void *type) {
    const struct class_metadata *metadata = type;
    size_t size = metadata->instance_size;
    char *object = swift_allocObject(type, size, metadata->instance_alignment_mask);
    if (size > header_size) memset(object + header_size, 0, size - header_size);
    return object;
}

bool cd_become_subclass(void *object, const void *type) {
    const struct class_metadata **place = object;
    const struct class_metadata *subclass = type;
    if ((*place)->instance_size != subclass->instance_size) return false;
    *place = subclass;
    return true;
}

#include <stdatomic.h>

uint64_t cd_next_number(void) {
    static _Atomic uint64_t count;
    return atomic_fetch_add_explicit(&count, 1, memory_order_relaxed) + 1;
}

void cd_wait(void) { sched_yield(); }

bool cd_is_unique(const void *object) { return swift_isUniquelyReferenced_nonNull_native(object); }

static _Thread_local const void *offered;

void cd_offer(const void *thing) { offered = thing; }

const void *cd_take(void) {
    const void *thing = offered;
    offered = NULL;
    return thing;
}

static _Thread_local cd_destruction destruction;

cd_destruction *cd_this_destruction(void) { return &destruction; }

void *cd_try_retain(void *object) { return swift_tryRetain(object); }

/// How many words of methods and field offsets a class's metadata has.
static size_t member_count(const struct class_metadata *metadata) {
    size_t size = metadata->class_size - metadata->class_address_point;
    return size > sizeof *metadata ? (size - sizeof *metadata) / sizeof(void *) : 0;
}

size_t cd_method_place(const void *type, const void *overriding, const void *plain) {
    const void *const *own = (const void *const *)((const struct class_metadata *)type + 1);
    const void *const *changed = (const void *const *)((const struct class_metadata *)overriding + 1);
    const void *const *same = (const void *const *)((const struct class_metadata *)plain + 1);
    size_t count = member_count(type), found = 0;
    for (size_t i = 0; i < count; i++) {
        if (own[i] == changed[i] || own[i] != same[i]) continue;
        if (found) return 0;
        found = i + 1;
    }
    return found;
}

bool cd_has_method(const void *type, const void *other, size_t place) {
    const void *const *one = (const void *const *)((const struct class_metadata *)type + 1);
    const void *const *two = (const void *const *)((const struct class_metadata *)other + 1);
    return one[place - 1] == two[place - 1];
}

bool cd_replace_method(void *type, const void *other, size_t place) {
    const void **own = (const void **)((struct class_metadata *)type + 1) + (place - 1);
    const void *const *new = (const void *const *)((const struct class_metadata *)other + 1) + (place - 1);
    // The system writes: for memory that is read-only it returns an error, where a store would end the process.
    int pipes[2];
    if (pipe(pipes) != 0) return false;
    bool done = write(pipes[1], new, sizeof *new) == sizeof *new && read(pipes[0], (void *)own, sizeof *own) == sizeof *own;
    close(pipes[0]);
    close(pipes[1]);
    return done;
}
