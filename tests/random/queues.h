// SPDX-License-Identifier: MIT
// Queues of events beside the model.
#pragma once
#include "both.h"

enum { TYPES = 2 };

void queues_begin(both *b);
void queues_compare(const both *b);
// How many living things the events own that are held.
uint32_t queues_own(const both *b);
void queues_end(both *b);
