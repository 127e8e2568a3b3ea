// SPDX-License-Identifier: MIT
#pragma once
#include <stdint.h>

static inline uint32_t keeli_least(uint32_t a, uint32_t b) { return a < b ? a : b; }
