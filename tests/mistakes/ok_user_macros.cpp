// SPDX-License-Identifier: MIT
// The same as C++, whose own headers, which Keel includes there, take min and max away: they come first.
// flags: -Wpedantic
#include <exception>
#include <new>
#include <type_traits>
#include <typeindex>
#include <utility>
#include "ok_user_macros.c"
