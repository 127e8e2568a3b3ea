// SPDX-License-Identifier: MIT
/// @file keel.h
/// Includes the whole library: core.h, and the macro layer of typed.h.
#pragma once
// clang-format off
#include <keel/core.h>
#include <keel/typed.h>
#include <keel/typed_core.h>
#include <keel/typed_events.h>
#include <keel/typed_relation.h>
#include <keel/typed_state.h>
#include <keel/typed_generic.h>
