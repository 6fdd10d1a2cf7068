#include "CCoreDataSupport.h"

#include <string.h>

/// Of the Swift runtime: the arguments of a component that captures generic parameters only.
__attribute__((weak)) extern const void *const swift_keyPathGenericWitnessTable[];

/// A key path's buffer, as the Swift project documents the ABI of key paths: after the object's header and the pointer to the name in
/// Objective-C.
static const size_t buffer_offset = 3 * sizeof(void *);

static uint32_t word_at(const char *place) {
    uint32_t word;
    memcpy(&word, place, sizeof word);
    return word;
}

static size_t size_at(const char *place) {
    size_t size;
    memcpy(&size, place, sizeof size);
    return size;
}

static size_t aligned(size_t offset) { return (offset + sizeof(void *) - 1) & ~(sizeof(void *) - 1); }

bool cd_key_path_has_subscript(const void *key_path) {
    const char *buffer = (const char *)key_path + buffer_offset;
    const size_t word = sizeof(void *), size = word_at(buffer) & 0x00FFFFFF;
    const char *const data = buffer + word;
    size_t offset = 0;
    while (offset + sizeof(uint32_t) <= size) {
        const uint32_t header = word_at(data + offset), kind = header >> 24 & 0x7F;
        offset += sizeof(uint32_t);
        switch (kind) {
        // A stored property of a structure or a class, whose offset may not fit in the header.
        case 1: case 3:
            if ((header & 0x007FFFFF) == 0x007FFFFF) offset += sizeof(uint32_t);
            break;
        // A computed property or a subscript: an identifier, a getter, perhaps a setter, and perhaps arguments.
        case 2: {
            offset = aligned(offset) + 2 * word + (header & 0x00400000 ? word : 0);
            if (!(header & 0x00080000)) break;
            if (offset + 2 * word > size) return false;
            const size_t arguments = size_at(data + offset);
            const void *const witness = (const void *)size_at(data + offset + word);
            if (arguments > 0 && witness != (const void *)swift_keyPathGenericWitnessTable) return true;
            offset += 2 * word + aligned(arguments);
            break;
        }
        // Chaining, wrapping or forcing an optional.
        case 4: break;
        default: return false;
        }
        // The type of the value, except of the last one.
        offset = aligned(offset) + word;
    }
    return false;
}
