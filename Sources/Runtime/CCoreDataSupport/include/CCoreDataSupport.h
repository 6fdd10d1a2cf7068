#ifndef CCOREDATASUPPORT_H
#define CCOREDATASUPPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Allocates an instance of a Swift class, with its header set up and all stored properties zero.
///
/// Foundation's NSExpression and NSComparisonPredicate have no initializer on Linux that a subclass could call up to, so the
/// instance is made by hand (Documentation/Formats/FoundationOnLinux.md, 2). Every stored property of
/// the class must be valid when all its bits are zero: an optional reference, an integer.
///
/// - Parameter type: the class's metadata, as `unsafeBitCast(type, to: UnsafeRawPointer.self)`.
/// - Returns: the instance, with one reference that the caller owns.
void *_Nonnull cd_allocate_zeroed(const void *_Nonnull type);

/// Makes an object one of a subclass, which must not have stored properties of its own: their memory would be missing.
///
/// Must be called before anything else knows the object.
///
/// - Parameters:
///   - object: the object.
///   - type: the metadata of a subclass of its class.
/// - Returns: whether it was done; false for a subclass with stored properties.
bool cd_become_subclass(void *_Nonnull object, const void *_Nonnull type);

/// Takes a reference to an object of Swift's, unless its last one is gone already.
///
/// The memory must still be there: whoever frees it waits for a lock that the caller holds.
///
/// - Returns: the object with one reference more, which the caller owns; null when it is just being destroyed.
void *_Nullable cd_try_retain(void *_Nonnull object);

/// Where the metadata of a class and its subclasses have the implementation of one method.
///
/// - Parameters:
///   - type: the metadata of the class that declares the method.
///   - overriding: that of a direct subclass which overrides the method and nothing else.
///   - plain: that of a direct subclass which overrides nothing.
/// - Returns: the place; 0 when the metadata does not tell.
size_t cd_method_place(const void *_Nonnull type, const void *_Nonnull overriding, const void *_Nonnull plain);

/// Whether two classes have the same implementation of the method at a place that `cd_method_place` gave.
bool cd_has_method(const void *_Nonnull type, const void *_Nonnull other, size_t place);

/// Gives a class the implementation of a method that another class has.
///
/// - Parameters:
///   - type: the metadata of the class that changes.
///   - other: that of a class with the implementation, whose code must not use stored properties of its own.
///   - place: what `cd_method_place` gave.
/// - Returns: whether it was done; false where the metadata cannot be written.
bool cd_replace_method(void *_Nonnull type, const void *_Nonnull other, size_t place);

/// Whether a Swift key path has a subscript with arguments, such as `tags[0]`.
///
/// - Parameter keyPath: the key path, an object. Its components are read as the ABI of key paths defines them; false for kinds of
///   components that this does not know.
bool cd_key_path_has_subscript(const void *_Nonnull keyPath);

/// Counts from 1, on any thread: for temporary object IDs.
uint64_t cd_next_number(void);

/// Whether an object of Swift's has one reference only, which is the caller's.
bool cd_is_unique(const void *_Nonnull object);

/// Reads a flag that other threads set, and all that they have written before that.
static inline bool cd_is_set(const bool *_Nonnull flag) { return __atomic_load_n(flag, __ATOMIC_ACQUIRE); }

/// Sets a flag that other threads read.
static inline void cd_set(bool *_Nonnull flag) { __atomic_store_n(flag, true, __ATOMIC_RELEASE); }

/// Lets other threads work while one of them has a lock.
void cd_wait(void);

/// Takes a lock that is hardly ever taken, and then for a few steps only: one instruction, where the system's locks are calls.
static inline void cd_lock(bool *_Nonnull lock) {
    while (__atomic_exchange_n(lock, true, __ATOMIC_ACQUIRE)) cd_wait();
}

static inline void cd_unlock(bool *_Nonnull lock) { __atomic_store_n(lock, false, __ATOMIC_RELEASE); }

/// Reads a number that other threads change, and nothing that they have written before.
static inline uintptr_t cd_load(const uintptr_t *_Nonnull word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }

/// Reads a number that other threads change, and all that they have written before that.
static inline uintptr_t cd_load_acquiring(const uintptr_t *_Nonnull word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

/// Changes a number, and lets other threads see all that this one has written before.
static inline void cd_store_releasing(uintptr_t *_Nonnull word, uintptr_t value) {
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

/// Replaces a number if it has a value, as taking a lock does.
///
/// - Returns: whether it had.
static inline bool cd_replace_acquiring(uintptr_t *_Nonnull word, uintptr_t expected, uintptr_t value) {
    return __atomic_compare_exchange_n(word, &expected, value, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE);
}

/// Replaces a number if it has a value, as releasing a lock does.
///
/// - Returns: whether it had.
static inline bool cd_replace_releasing(uintptr_t *_Nonnull word, uintptr_t expected, uintptr_t value) {
    return __atomic_compare_exchange_n(word, &expected, value, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

/// Replaces a number if it has a value; see `cd_replace_acquiring` and `cd_replace_releasing`.
///
/// - Returns: whether it had.
static inline bool cd_replace(uintptr_t *_Nonnull word, uintptr_t expected, uintptr_t value) {
    return __atomic_compare_exchange_n(word, &expected, value, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/// Puts an object into a place if it is empty.
///
/// - Returns: what is in the place now: the object, or what another thread has put there before.
static inline void *_Nonnull cd_put_once(void *_Nullable *_Nonnull place, void *_Nonnull object) {
    void *known = NULL;
    return __atomic_compare_exchange_n(place, &known, object, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ? object : known;
}

/// What `cd_put_once` has put into a place, on any thread; null for nothing.
static inline void *_Nullable cd_get_once(void *_Nullable const *_Nonnull place) {
    return __atomic_load_n(place, __ATOMIC_ACQUIRE);
}

/// Keeps something for the next call of `cd_take` on this thread: for an initializer whose parameters are given.
void cd_offer(const void *_Nullable thing);

/// What this thread has offered last, which it then does not any more; null for nothing.
const void *_Nullable cd_take(void);

/// What a thread is destroying: how deep its destructors are nested, and the values that were put off.
typedef struct {
    long depth;
    void *_Nullable postponed;
} cd_destruction;

/// The calling thread's.
cd_destruction *_Nonnull cd_this_destruction(void);

/// Finds the classes of a name in the program and its libraries, in any module and inside of any type, as the runtime of
/// Objective-C finds those that it knows. Generic classes are passed over.
///
/// - Parameters:
///   - name: the name without a module.
///   - found: gets the metadata of each, before the call returns.
void cd_find_classes(
    const char *_Nonnull name, void *_Nullable context,
    void (*_Nonnull found)(const void *_Nonnull type, void *_Nullable context));

#endif
