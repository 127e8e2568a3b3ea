// SPDX-License-Identifier: MIT
// The terms over the hierarchy, over an exclusive and acyclic relation instead.
#define OVER_RELATION
#include "api/relations/test_related_views.c"
