// SPDX-License-Identifier: MIT
/// @file entity.h
/// Entity handles: an index and a version in one value. This header needs no world.
///
/// A handle is null when its upper part is zero, so zeroed memory holds null handles. The upper
/// part is `version + 1`. Each time an index is used again, its version is one higher, so an old
/// handle never means the new entity. An index is retired when its versions are used up.
#pragma once
#include <keel/base.h>

#if defined(KEEL_ENTITY_32) && KEEL_ENTITY_32
/// Bits of a handle that hold the index: at most 1,048,576 entities at a time.
#define KEEL_ENTITY_INDEX_BITS 20
/// The highest version; an index is retired after it.
#define KEEL_MAX_ENTITY_VERSION 4094u
/// The highest index.
#define KEEL_MAX_ENTITY_INDEX 0xFFFFFu
/// The unsigned integer inside a handle.
typedef uint32_t keel_entity_bits;
#else
/// Bits of a handle that hold the index: at most about 4.29 billion entities at a time.
#define KEEL_ENTITY_INDEX_BITS 32
/// The highest version; an index is retired after it.
#define KEEL_MAX_ENTITY_VERSION 0x7FFFFFFEu
/// The highest index.
#define KEEL_MAX_ENTITY_INDEX 0xFFFFEFFFu
/// The unsigned integer inside a handle.
typedef uint64_t keel_entity_bits;
#endif
/// @cond builds for tests of Keel itself: indices retire early
#if defined(KEEL_TINY)
#undef KEEL_MAX_ENTITY_VERSION
#define KEEL_MAX_ENTITY_VERSION 14u
#endif
/// @endcond

/// A handle to an entity. Copy it freely, and compare it with keel_is_same. A handle only means
/// something in the world that made it.
typedef struct keel_entity {
    keel_entity_bits bits; ///< index | (version + 1) << KEEL_ENTITY_INDEX_BITS; 0 is null
} keel_entity;

#ifdef __cplusplus
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast" // inline functions are C
extern "C" {
#endif

/// Returns the null handle, which is never alive in any world.
KEEL_API inline keel_entity keel_null(void) {
    const keel_entity e = { 0 };
    return e;
}

/// True if `e` is null: its upper part is zero. A handle that is not null may still be stale; see
/// keel_is_alive.
KEEL_API inline bool keel_is_null(keel_entity e) { return (e.bits >> KEEL_ENTITY_INDEX_BITS) == 0; }

/// True if both handles have the same index and version.
KEEL_API inline bool keel_is_same(keel_entity a, keel_entity b) { return a.bits == b.bits; }

/// Private: the index of a handle that is not null.
KEEL_API inline uint32_t keeli_index_of(keel_entity e) {
    return (uint32_t)(e.bits & (((keel_entity_bits)1 << KEEL_ENTITY_INDEX_BITS) - 1));
}

/// Returns the index of a handle, 0 to KEEL_MAX_ENTITY_INDEX, or UINT32_MAX for null. Indices are
/// small and dense, and are used again after the entity is deleted.
KEEL_API inline uint32_t keel_entity_index(keel_entity e) {
    return keel_is_null(e) ? UINT32_MAX : keeli_index_of(e);
}

/// Returns how often the index was used before: 0 to KEEL_MAX_ENTITY_VERSION, or UINT32_MAX for
/// null. Versions of templates do not begin at 0 (prefab.h).
KEEL_API inline uint32_t keel_entity_version(keel_entity e) {
    return (uint32_t)(e.bits >> KEEL_ENTITY_INDEX_BITS) - 1u;
}

/// Makes a handle from an index and a version, for saved games and network messages.
/// @return null when either is above its maximum
KEEL_API inline keel_entity keel_entity_make(uint32_t index, uint32_t version) {
    keel_entity e = { 0 };
    if (index <= KEEL_MAX_ENTITY_INDEX && version <= KEEL_MAX_ENTITY_VERSION)
        e.bits = ((keel_entity_bits)(version + 1u) << KEEL_ENTITY_INDEX_BITS) | index;
    return e;
}

#ifdef __cplusplus
}
#pragma GCC diagnostic pop
#endif
