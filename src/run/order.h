// SPDX-License-Identifier: MIT
// A heap of node numbers, the smallest first; the caller has room for all.
#pragma once
#include <stdint.h>

void keeli_heap_push(uint32_t *heap, uint32_t *count, uint32_t value);
uint32_t keeli_heap_pop(uint32_t *heap, uint32_t *count);
