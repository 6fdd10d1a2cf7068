#include "CCoreDataSupport.h"

#include <stddef.h>
#include <string.h>

/// Of the Swift runtime; part of its stable interface.
extern void *swift_allocObject(const void *metadata, size_t size, size_t alignmentMask);
extern void *swift_tryRetain(void *object);

/// The part of a class's metadata that says how large an instance is. Without Objective-C it begins with the kind and
/// the superclass (docs/ABI/TypeMetadata.rst of the Swift project).
struct class_metadata {
    const void *kind;
    const void *superclass;
    uint32_t flags;
    uint32_t instance_address_point;
    uint32_t instance_size;
    uint16_t instance_alignment_mask;
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

#include <stdatomic.h>

uint64_t cd_next_number(void) {
    static _Atomic uint64_t count;
    return atomic_fetch_add_explicit(&count, 1, memory_order_relaxed) + 1;
}

void *cd_try_retain(void *object) { return swift_tryRetain(object); }

static _Atomic uint64_t class_generation = 0;

uint64_t cd_class_generation(void) {
    return atomic_load_explicit(&class_generation, memory_order_acquire);
}

void cd_note_new_class(void) {
    atomic_fetch_add_explicit(&class_generation, 1, memory_order_acq_rel);
}
