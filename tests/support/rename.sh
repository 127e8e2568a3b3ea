#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: tests/support/rename.sh
# Tests tools/rename: it converts calls of earlier names to today's, leaves today's calls and literals
# unchanged, and refuses places that it cannot convert. Called by ctest as `rename_tool`.
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
KEEL_FOR_DELETED(world, Health, gone) {
    KEEL_FOR_REMOVED(world, Armor, other) drop(other.value);
}
keel_explain_named(world, ")", '(', text /* one, two, ( */, ',');
keel_explain_named(world, "\\\",(", '\'', text, // last )
                   9 // of all
);
puts("keel_gone keel_disable_component(world, e, c) " /* keel_gone */ R"x(keel_gone ")x"); // keel_gone
if (!keel_has_workload(world, "a") && keel_has_workload(world, "b)") == is_there) return;
is_there = keel_has_workload(world, keel_context_user(context)) || (int)keel_has_workload(world, "c");
keel_disable_component (world, keel_next_descendant(world, root, e), KEEL_OF(Health));
mine.keel_gone = 1'000 + mine->keel_gone + my.walk.gone.entity;
if (is_late) (void)keel_take_error(world);
const keel_error error = keel_take_error(f->world);
KEEL_TASK(move, KEEL_WORLD(w)) {}
KEEL_WORKLOAD(frame, KEEL_STEP(move));
static keel_system turn_system = { 0 };
KEEL_TAG(Dead);
const void *all[] = { &move_system, &frame_workload, &turn_system, &Dead_component, &keel_child_component, &p->turn_workload };
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
KEEL_EACH_REMOVED(world, Health, gone) if (gone.deleted) {
    KEEL_EACH_REMOVED(world, Armor, other) if (!other.deleted) drop(other.value);
}
keel_world_explain_workload(world, keel_find_workload(world, ")"), '(', text /* one, two, ( */, ',');
keel_world_explain_workload(world, keel_find_workload(world, "\\\",("), '\'', text, // last )
                   9 // of all
);
puts("keel_gone keel_disable_component(world, e, c) " /* keel_removal */ R"x(keel_gone ")x"); // keel_removal
if (!(keel_find_workload(world, "a") != NULL) && (keel_find_workload(world, "b)") != NULL) == is_there) return;
is_there = keel_find_workload(world, keel_context_info(context, &(keel_run_info){ 0 })->user) != NULL || (int)(keel_find_workload(world, "c") != NULL);
keel_enable_component(world, keel_next_descendant(world, root, e, KEEL_DEPTH_FIRST), KEEL_OF(Health), false);
mine.keel_gone = 1'000 + mine->keel_gone + my.walk.removal.entity;
if (is_late) (void)keel_clear_errors(world);
const keel_error error = *keel_first_error(f->world); keel_clear_errors(f->world);
KEEL_SYSTEM_ONCE(move, KEEL_WORLD(w)) {}
KEEL_WORKLOAD(frame, KEEL_STEP(move));
static keel_system turn_system = { 0 };
KEEL_TAG(Dead);
const void *all[] = { &KEEL_SYSTEM_move, &KEEL_WORKLOAD_frame, &turn_system, &KEEL_COMPONENT_Dead, &KEEL_COMPONENT_keel_child, &p->turn_workload };
END
for time in once again; do
    "$tool" "$folder/program.c" >/dev/null
    diff "$folder/wanted.c" "$folder/program.c" || { echo "FAILED: $time" >&2; exit 1; }
done
"$tool" --check "$folder/program.c" >/dev/null

# Each line of this file but the first is refused with its line number, and the file stays unchanged.
cat >"$folder/refused.c" <<'END'
keel_gone gone;
if (keel_take_error(world).result) return;
run(&elsewhere_workload, 1);
run(&elsewhere_system, 1);
bool (*has)(keel_world *, const char *) = keel_has_workload;
keel_disable_component(world, ALL_THE_REST);
keel_named_nodes(next_world(), "frame", nodes, 9);
if (is_late) KEEL_FOR_DELETED(world, Health, gone) drop(gone.value);
keel_load(world, path, .skip_unknown = skip);
if (is_late) error = keel_take_error(world);
int *data = keel_context_data(context, sizeof *data);
#define WAY(name) { &name##_system, #name }
END
cp "$folder/refused.c" "$folder/before.c"
echo "keel_gone gone;" >"$folder/other.c"
"$tool" "$folder/refused.c" "$folder/other.c" >/dev/null 2>"$folder/said" && { echo "FAILED: nothing is refused" >&2; exit 1; }
cut -d: -f1,2 "$folder/said" | sort -u -t: -k2n >"$folder/lines"
for line in $(seq 2 12); do echo "$folder/refused.c:$line"; done | diff - "$folder/lines" || { cat "$folder/said"; exit 1; }
cmp "$folder/before.c" "$folder/refused.c"
echo "keel_removal gone;" | diff - "$folder/other.c"

# Declarations in other files of the same command line are known, if they all have the same kind.
echo "KEEL_WORKLOAD_DECLARE(elsewhere); KEEL_SYSTEM_DECLARE(elsewhere);" >"$folder/declared.h"
sed -n 3,4p "$folder/before.c" >"$folder/uses.c"
"$tool" "$folder/uses.c" "$folder/declared.h" >/dev/null
printf 'run(&KEEL_WORKLOAD_elsewhere, 1);\nrun(&KEEL_SYSTEM_elsewhere, 1);\n' | diff - "$folder/uses.c"
