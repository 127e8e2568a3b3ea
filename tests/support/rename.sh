#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tests/support/rename.sh
# tools/rename writes today's calls for those of before, and leaves today's as they are.
set -eu
tool=$(dirname "$0")/../../tools/rename
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/program.c" <<'END'
keel_observe_entities(world, KEEL_ON_CREATED, note, NULL);
keel_collect_entities(world, KEEL_OF(Newborn), KEEL_ON_CREATED);
if (keel_has_workload(world, "frame")) keel_explain_named(world, name(1, 2), KEEL_EXPLAIN_TEXT, text, 9);
++counts[keel_context_worker(context)];
keel_disable_component(world, e, c);
keel_enable_component(world, e, c);
e = keel_next_descendant(world, root, e);
e = keel_next_descendant_breadth(world, root, e);
if (keel_changes_of_unique(world, KEEL_UNIQUE_OF(Time))) return keel_dropped_commands(world);
KEEL_FOR_DELETED(world, Health, gone) drop(gone.value);
END
cat >"$folder/wanted.c" <<'END'
keel_observe_component(world, &keel_entities, KEEL_ON_CREATED, note, NULL);
keel_collect_component(world, KEEL_OF(Newborn), &keel_entities, KEEL_ON_CREATED);
if (keel_find_workload(world, "frame") != NULL) keel_world_explain_workload(world, keel_find_workload(world, name(1, 2)), KEEL_EXPLAIN_TEXT, text, 9);
++counts[keel_context_info(context, &(keel_run_info){ 0 })->worker];
keel_enable_component(world, e, c, false);
keel_enable_component(world, e, c, true);
e = keel_next_descendant(world, root, e, KEEL_DEPTH_FIRST);
e = keel_next_descendant(world, root, e, KEEL_BREADTH_FIRST);
if (keel_changes_of_component(world, keel_null(), KEEL_UNIQUE_OF(Time))) return keel_world_statistics(world).dropped_commands;
KEEL_EACH_REMOVED(world, Health, gone) if (gone.deleted) drop(gone.value);
END
for time in once again; do
    "$tool" "$folder/program.c" >/dev/null
    diff "$folder/wanted.c" "$folder/program.c" || { echo "FAILED: $time" >&2; exit 1; }
done
"$tool" --check "$folder/program.c" >/dev/null
