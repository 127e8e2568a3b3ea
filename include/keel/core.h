// SPDX-License-Identifier: MIT
/// @file core.h
/// Includes the whole library without the macro layer: plain C11, without anything that only gcc
/// and clang know. Bindings of other languages are made from it (docs/reference/bindings.md).
/// Reading order: base, entity, component, world, edit, unique, hierarchy, name, group, commands,
/// view, executor, walk, state, workload, explain, why, parallel, custom_view, timing, track,
/// events, snapshot, history, time.
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
#include <keel/history.h>
#include <keel/name.h>
#include <keel/parallel.h>
#include <keel/prefab.h>
#include <keel/reflect.h>
#include <keel/relation.h>
#include <keel/scope.h>
#include <keel/snapshot.h>
#include <keel/state.h>
#include <keel/time.h>
#include <keel/timing.h>
#include <keel/track.h>
#include <keel/unique.h>
#include <keel/view.h>
#include <keel/walk.h>
#include <keel/why.h>
#include <keel/workload.h>
#include <keel/world.h>
