// SPDX-License-Identifier: MIT
// The same as C++.
// flags: -Wpedantic
#include "ok_user_macros.c"
