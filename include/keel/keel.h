// SPDX-License-Identifier: MIT
/// @file keel.h
/// The whole library. Reading order: base, entity, component, world, edit, unique, hierarchy, name,
/// group, commands, view, executor, walk, state, workload, explain, parallel, custom_view, timing,
/// track, events, typed, time.
#pragma once
// clang-format off
#include <keel/base.h>
#include <keel/commands.h>
#include <keel/component.h>
#include <keel/custom_view.h>
#include <keel/edit.h>
#include <keel/entity.h>
#include <keel/events.h>
#include <keel/executor.h>
#include <keel/explain.h>
#include <keel/group.h>
#include <keel/hierarchy.h>
#include <keel/name.h>
#include <keel/parallel.h>
#include <keel/state.h>
#include <keel/time.h>
#include <keel/timing.h>
#include <keel/track.h>
#include <keel/typed.h>
#include <keel/typed_core.h>
#include <keel/typed_events.h>
#include <keel/typed_state.h>
#include <keel/unique.h>
#include <keel/view.h>
#include <keel/walk.h>
#include <keel/workload.h>
#include <keel/world.h>
