#include "CCoreDataSupport.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/// Of the Swift runtime: calls back with the sections of each image (lib/swift/shims/MetadataSections.h). Weak, so that a
/// runtime without it only finds fewer classes.
__attribute__((weak)) extern void swift_enumerateAllMetadataSections(
    bool (*body)(const void *sections, void *context), void *context);

/// The beginning of `MetadataSections`, which grows at its end only.
struct sections {
    uintptr_t version;
    const void *base_address;
    void *unused[2];
    struct {
        uintptr_t start;
        size_t length;
    } protocols, conformances, types;
};

/// The context descriptor of a class (docs/ABI/TypeMetadata.rst of the Swift project). References are relative to themselves.
struct class_descriptor {
    uint32_t flags;
    int32_t parent;
    int32_t name;
    int32_t access_function;
};

/// What an access function gives: the metadata, and how complete it is.
struct metadata_response {
    const void *metadata;
    size_t state;
};
typedef __attribute__((swiftcall)) struct metadata_response (*access_function)(size_t request);

static const void *resolve(const int32_t *reference) {
    return *reference == 0 ? NULL : (const char *)reference + *reference;
}

struct search {
    const char *name;
    void (*found)(const void *type, void *context);
    void *context;
};

static void look_at(const struct class_descriptor *descriptor, const struct search *search) {
    const uint32_t kind = descriptor->flags & 0x1F, is_generic = descriptor->flags & 0x80;
    if (kind != 16 || is_generic) return;
    const char *name = resolve(&descriptor->name);
    if (name == NULL || strcmp(name, search->name) != 0) return;
    access_function access = (access_function)resolve(&descriptor->access_function);
    if (access != NULL) search->found(access(0).metadata, search->context);
}

static bool look_into(const void *image, void *context) {
    const struct sections *sections = image;
    if (sections->version < 3) return true;
    const int32_t *records = (const int32_t *)sections->types.start;
    for (size_t index = 0; index < sections->types.length / sizeof(int32_t); index++) {
        // The two lowest bits say what is referred to: 0 a descriptor, 1 a pointer to one.
        const int32_t kind = records[index] & 3;
        const void *target = (const char *)&records[index] + (records[index] & ~3);
        if (records[index] == 0 || kind > 1) continue;
        const struct class_descriptor *descriptor = kind == 0 ? target : *(const void *const *)target;
        if (descriptor != NULL) look_at(descriptor, context);
    }
    return true;
}

void cd_find_classes(
    const char *name, void *context, void (*found)(const void *type, void *context)
) {
    if (swift_enumerateAllMetadataSections == NULL) return;
    struct search search = {name, found, context};
    swift_enumerateAllMetadataSections(look_into, &search);
}
