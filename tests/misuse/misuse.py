#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What each exported function does with each misuse.
  misuse.py calls ROOT OUT.inc        writes the calls, from bindings/api.json: main.c includes them
  misuse.py check ROOT PROGRAM        runs them; fails where docs/reference/misuse.md says something else
  misuse.py write ROOT PROGRAM        runs them (a checked build), and writes docs/reference/misuse.md"""
import json
import pathlib
import re
import subprocess
import sys

# What a parameter gets where it is used rightly, by `function.parameter`, by `type parameter`, or by type;
# {i} is its number. given_*() of main.c hand out something wrong in its place when it is its turn.
RIGHT = {
    # by function
    "keel_add_entity_at.e": "given_entity({i}, keel_entity_make(700, 3))",
    "keel_attach.child": "given_entity({i}, f.lone)",
    "keel_merge_world.from": "given_world({i}, f.other)",
    "keel_merge_world.options": "NULL",
    "keel_copy_world.from": "given_world({i}, f.world)",
    "keel_copy_world.to": "given_world({i}, f.empty)",
    "keel_enable_component.enabled": "false",
    "keel_enable_entity.enabled": "false",
    "keel_relate_component.value": "NULL",
    "keel_get_related_component.relation": "given_valued_relation({i})",
    "keel_get_related_component_mut.relation": "given_valued_relation({i})",
    "keel_next_target_above_component.relation": "given_valued_relation({i})",
    "keel_next_source_below_component.relation": "given_valued_relation({i})",
    "keel_context_scratch.align": "given_number({i}, 16, 3)",
    "keel_piece_scratch.align": "given_number({i}, 16, 3)",
    "keel_field_find.path": 'given_name({i}, "x")',
    "keel_field_parse.text": '"7"',
    "keel_ring_take.frame": "2",
    "keel_ring_exchange.frame": "1",
    "keel_snapshot **": "given_pointer({i}, &f.given)",
    "keel_ring_frames.capacity": "1",
    "keel_step_why.position": "given_number({i}, 0, UINT32_MAX)",
    "keel_view_counts.slice": "NULL",
    "keel_step_counts.slice": "NULL",
    "keel_watch_steps.function": "NULL",
    "keel_timings_now.now": "given_pointer({i}, &f.time)",
    "keel_step_counts.position": "given_number({i}, 0, UINT32_MAX)",
    "keel_snapshot_read_begin.image": "given_pointer({i}, &image_of_snapshot)",
    "keel_snapshot_write.sink": "a_sink",
    "keel_snapshot_read.bytes": "given_pointer({i}, f.image_bytes)",
    "keel_snapshot_read.size": "f.image_size",
    "keel_snapshot_read.options": "NULL",
    "keel_snapshot_to_world.empty": "given_world({i}, f.empty)",
    "keel_snapshot_set_flags.flags": "given_number({i}, 1, 8)",
    "keel_unlink.e": "given_entity({i}, f.child)",
    "keel_detach.child": "given_entity({i}, f.child)",
    "keel_end_custom_view.value": "given_kit({i})",
    "keel_find_component.name": 'given_name({i}, "Position")',
    "keel_find_entity.path": 'given_name({i}, "named")',
    "keel_find_entity.parent": "keel_null()",
    "keel_find_group.name": 'given_name({i}, "kept")',
    "keel_find_workload.name": 'given_name({i}, "frame")',
    "keel_prefab_of.e": "given_entity({i}, f.copy)",
    "keel_move_entity.to": "given_world({i}, f.other)",
    "keel_move_entity.e": "given_entity({i}, f.lone)",
    "keel_next_child.child": "given_entity({i}, f.child)",
    "keel_next_descendant.after": "keel_null()",
    "keel_next_source_below_component.after": "keel_null()",
    "keel_next_source_component.after": "keel_null()",
    "keel_next_target_above_component.after": "keel_null()",
    "keel_next_target_component.after": "keel_null()",
    "keel_next_entity.after": "keel_null()",
    "keel_next_free_entity.after": "keel_null()",
    "keel_reader_create.name": 'given_text({i}, "second")',
    "keel_remove_workload.name": 'given_name({i}, "frame")',
    "keel_run_stored.name": 'given_name({i}, "frame")',
    "keel_set_default_workload.name": 'given_name({i}, "frame")',
    "keel_set_name.name": 'given_text({i}, "new")',
    "keel_set_assert_handler.handler": "assertion_failed",
    "keel_swap_component.a": "given_entity({i}, f.e)",
    "keel_swap_component.b": "given_entity({i}, f.second)",
    "keel_timings_write_trace.path": 'given_text({i}, "/dev/null")',
    "keel_unregister_component.component": "given_component({i}, KEEL_OF(Frozen))",
    "keel_world_add_workload.workload": "given_pointer({i}, &KEEL_WORKLOAD_another)",
    "keel_view_begin.view": "given_pointer({i}, &f.fresh_view)",
    "keel_view_begin.where": '"here"',
    "keel_iterator_begin.iterator": "given_pointer({i}, &f.fresh_iterator)",
    "keel_at_component.place": '"here"',
    "keel_at_component_mut.place": '"here"',
    "keel_add_child_values.values": "given_pointer({i}, f.values)",
    "keel_delete_component_from_matching.terms": "given_pointer({i}, f.terms)",
    "keel_observe_view.kinds": "given_number({i}, KEEL_ON_ENTERED, 1u << 31)",
    "keel_observe_component.kinds": "given_number({i}, KEEL_ON_INSERTED, 1u << 31)",
    "keel_collect_component.kinds": "given_number({i}, KEEL_ON_INSERTED, 1u << 31)",
    "keel_fail.format": '"text"',
    "keel_fail_text.text": '"text"',
    "keel_hash_blocks.first": "0",
    "keel_hash_blocks.size": "given_number({i}, 1, 0)",
    "keel_hash_blocks.count": "1",
    "keel_world_hash_with.flags": "given_number({i}, KEEL_HASH_ORDER, 8)",
    "keel_snapshot_hash.flags": "given_number({i}, KEEL_HASH_ORDER, 8)",
    "keel_hash_part *": "given_pointer({i}, f.parts)",
    "keel_world_hash_parts.capacity": "2",
    "keel_entity_at.index": "given_number({i}, 1, UINT32_MAX)",
    "keel_group_entity.position": "given_number({i}, 0, UINT32_MAX)",
    "keel_reserve_component.count": "4",
    "keel_timings_begin.capacity": "64",
    "keel_parallel_for.count": "100",
    "keel_parallel_reduce.count": "100",
    # by type and name
    "const keel_component * unique": "given_unique({i})",
    "const keel_component * event": "given_event({i})",
    "const keel_component * relation": "given_relation({i})",
    "const keel_component * set": "given_component({i}, KEEL_OF(Chosen))",
    "const keel_component * after": "NULL",
    "const char * workload": 'given_name({i}, "frame")',
    "const char * name": 'given_name({i}, "rest")',
    "uint32_t kinds": "given_number({i}, KEEL_TRACK_ALL, 1u << 31)",
    "uint32_t count": "2",
    "uint32_t capacity": "4",
    "uint32_t grain": "8",
    "uint32_t limit": "16",
    "uint32_t index": "1",
    "uint32_t version": "1",
    "uint64_t tick": "0",
    "uint64_t frame": "1",
    "uint32_t frames": "given_number({i}, 2, UINT32_MAX)",
    "size_t size": "sizeof f.text",
    "keel_entity child": "given_entity({i}, f.child)",
    "keel_entity parent": "given_entity({i}, f.parent)",
    "keel_entity target": "given_entity({i}, f.target)",
    "keel_entity root": "given_entity({i}, f.parent)",
    # by type
    "keel_world *": "given_world({i}, f.world)",
    "const keel_world *": "given_world({i}, f.world)",
    "keel_scope *": "given_scope({i}, {other}, {ended})",
    "const keel_scope *": "given_scope({i}, {other}, {ended})",
    "keel_entity": "given_entity({i}, f.e)",
    "const keel_component *": "given_component({i}, KEEL_OF(Position))",
    "const keel_view *": "given_view({i})",
    "keel_view *": "given_view({i})",
    "keel_prefab": "given_prefab({i})",
    "keel_iterator *": "given_iterator({i})",
    "keel_reader *": "given_reader({i})",
    "keel_group *": "given_group({i})",
    "const keel_group *": "given_group({i})",
    "keel_context *": "given_context({i})",
    "const keel_context *": "given_context({i})",
    "keel_commands *": "given_pointer({i}, keel_world_commands(f.world))",
    "const keel_piece *": "given_pointer({i}, f.piece)",
    "size_t": "sizeof(uint32_t[2])", "bool": "true", "double": "0.5", "int64_t": "1",
    "keel_result": "KEEL_OK", "keel_walk_order": "KEEL_DEPTH_FIRST", "keel_explain_format": "KEEL_EXPLAIN_TEXT",
    "void *": "given_pointer({i}, f.value)",
    "const void *": "given_pointer({i}, f.value)",
    "const char *": 'given_text({i}, "text")',
    "char *": "given_pointer({i}, f.text)",
    "keel_entity *": "given_pointer({i}, f.handles)",
    "const keel_entity *": "given_pointer({i}, f.both)",
    "const keel_value *": "given_pointer({i}, f.values)",
    "const keel_value_column *": "given_pointer({i}, f.columns)",
    "const keel_out *": "given_pointer({i}, f.outs)",
    "const keel_component *const *": "given_pointer({i}, f.list)",
    "const keel_term *": "given_pointer({i}, f.terms)",
    "const keel_workload *": "given_pointer({i}, &KEEL_WORKLOAD_frame)",
    "const keel_run_desc *": "given_pointer({i}, &f.run)",
    "keel_span *": "given_pointer({i}, &f.span)",
    "const keel_span *": "given_pointer({i}, &f.span)",
    "const keel_reduction *": "given_pointer({i}, &f.reduction)",
    "const keel_world_desc *": "given_pointer({i}, &f.desc)",
    "keel_error *": "given_pointer({i}, &f.error)",
    "uint64_t *": "given_pointer({i}, &f.number)",
    "const keel_state *": "given_pointer({i}, KEEL_STATE_OF(Phase))",
    "const keel_lookup *": "given_pointer({i}, &f.lookup)",
    "const keel_system *": "given_pointer({i}, &KEEL_SYSTEM_rest)",
    "const keel_step *": "given_pointer({i}, &f.step)",
    "keel_run_info *": "given_pointer({i}, &f.info)",
    "const keel_custom_view *": "given_pointer({i}, &kit)",
    "keel_removal_walk *": "given_pointer({i}, &f.removals)",
    "keel_event_walk *": "given_pointer({i}, &f.events)",
    "keel_workload_node *": "given_pointer({i}, f.nodes)",
    "keel_workload_edge *": "given_pointer({i}, f.edges)",
    "const keel_group_desc *": "given_pointer({i}, &f.group_desc)",
    "keel_group **": "given_pointer({i}, &f.made)",
    "const keel_sort_desc *": "given_pointer({i}, &f.sort)",
    "keel_fixed_step *": "given_pointer({i}, &f.clock)",
    "const keel_fixed_step *": "given_pointer({i}, &f.clock)",
    "keel_timings_cursor *": "given_pointer({i}, &f.cursor)",
    "keel_timing *": "given_pointer({i}, &f.timing)",
    "const keel_snapshot *": "given_pointer({i}, f.snapshot)",
    "keel_snapshot *": "given_pointer({i}, f.snapshot)",
    "keel_ring *": "given_pointer({i}, f.ring)",
    "const keel_ring *": "given_pointer({i}, f.ring)",
    "keel_why *": "given_pointer({i}, &f.why)",
    "uint32_t *": "given_pointer({i}, f.left)",
    "keel_history *": "given_pointer({i}, f.history)",
    "const keel_history *": "given_pointer({i}, f.history)",
    "const keel_field_place *": "given_pointer({i}, &f.place)",
    "keel_field_place *": "given_pointer({i}, &f.place)",
    "keel_restore_fn *": "(keel_restore_fn *)given_function({i}, (any_function *)restored)",
    "keel_retain_fn *": "(keel_retain_fn *)given_function({i}, (any_function *)keep)",
    "keel_visit_fn *": "(keel_visit_fn *)given_function({i}, (any_function *)look_at_run)",
    "keel_visit_edge_fn *": "(keel_visit_edge_fn *)given_function({i}, (any_function *)look_at_edge)",
    "keel_entity_compare *": "(keel_entity_compare *)given_function({i}, (any_function *)compare)",
    "keel_command_fn *": "(keel_command_fn *)given_function({i}, (any_function *)command)",
    "keel_patch_fn *": "(keel_patch_fn *)given_function({i}, (any_function *)patch)",
    "keel_observer_fn *": "(keel_observer_fn *)given_function({i}, (any_function *)observer)",
    "keel_range_fn *": "(keel_range_fn *)given_function({i}, (any_function *)range)",
    "keel_span_fn *": "(keel_span_fn *)given_function({i}, (any_function *)span)",
}
# What may be wrong with an argument, by what hands it out; NULL only where the headers do not allow it.
WRONGS = {
    "given_world": ["NULL"], "given_scope": ["NULL", "ENDED", "OTHER_KIND", "UNDECLARED"],
    "given_entity": ["NULL_ENTITY", "STALE", "FOREIGN"], "given_prefab": ["NULL_ENTITY", "STALE", "FOREIGN"], "given_pointer": ["NULL"], "given_text": ["NULL"], "given_name": ["NULL", "UNKNOWN"], "given_kit": ["NULL"],
    "given_function": ["NULL"], "given_component": ["NULL", "OTHER_KIND", "REFUSED"],
    "given_unique": ["NULL", "OTHER_KIND"], "given_event": ["NULL", "OTHER_KIND"], "given_relation": ["NULL", "OTHER_KIND"], "given_valued_relation": ["NULL", "OTHER_KIND"],
    "given_view": ["NULL", "ENDED"], "given_iterator": ["NULL", "ENDED"], "given_reader": ["NULL", "ENDED"],
    "given_group": ["NULL", "ENDED"], "given_context": ["NULL"], "given_number": ["OUT_OF_RANGE"],
}
# Where every argument is right and the time is not; what is called there acts on the same world.
SITUATIONS = ["IN_VIEW", "IN_LOOP", "SHARED", "IN_THREAD", "IN_HOOK", "IN_OBSERVER", "IN_COMMAND", "IN_SYSTEM", "DESTROYED"]
# NULL is a right argument there although no comment says `may be NULL`.
OPTIONAL = {"keel_null", "keel_set_assert_handler.handler"}
# The function does not look, and says so.
UNDEFINED = {"keel_delete_entity_unchecked", "keel_add_component_unchecked", "keel_column_get_value.column"}
# What comes of a call although everything about it is right.
NO_SUCCESS = {"keel_share_end": "nothing was begun", "keel_view_single": "many match", "keel_fail": "the system is to fail",
              "keel_fail_text": "the system is to fail"}
# Scopes that a function does not take: no reader, or with one no commands.
OTHER = ["KEEL_SCOPE(f.reader)", "KEEL_SCOPE(keel_world_commands(f.world))"]
SAID = {"keel_result": "say_result", "bool": "say_bool", "keel_entity": "say_entity", "keel_prefab": "say_prefab"}

COLUMNS = {  # of the table: the misuses that it shows
    "NULL": ["NULL"], "null, deleted, foreign entity": ["NULL_ENTITY", "STALE", "FOREIGN"],
    "another kind; not declared; unknown; out of range": ["OTHER_KIND", "REFUSED", "UNDECLARED", "UNKNOWN", "OUT_OF_RANGE"],
    "ended": ["ENDED"], "in a view": ["IN_VIEW"], "in a loop": ["IN_LOOP"], "shared": ["SHARED"], "in another thread": ["IN_THREAD"],
    "in a hook": ["IN_HOOK"], "in an observer": ["IN_OBSERVER"], "in a command": ["IN_COMMAND"], "in a system": ["IN_SYSTEM"],
    "world destroyed": ["DESTROYED"],
}
TEXT = """# Every function, every misuse

This page has a row for each exported function, and says what the function answers to each kind of misuse. [Errors by symptom](errors.md)
has causes and fixes. `tests/misuse/misuse.py write` writes this page: it calls each function with everything right but one thing. A test
compares the page with checked and with release builds.

- `ok` and `true`: it is allowed.
- `ABSENT` is KEEL_ABSENT, `DEAD_ENTITY` is KEEL_ERROR_DEAD_ENTITY, and so on. With `!` it is an assertion in checked builds.
- Some functions return no keel_result. Then the cell has their answer, and in brackets the error that the world keeps.
- `stops`: the program ends with a message, in every build.
- `undefined`: the function does not check.
- An empty cell: nothing of this kind can be wrong.

After an error the world is as it was (keel_world_hash), and whole (keel_world_check).

| column | what is wrong |
|---|---|
| NULL | this argument, where its documentation does not allow it |
| null, deleted, foreign entity | a handle of the three kinds |
| another kind | a unique for a component, a component for a unique, event or relation; a scope that the function never takes |
| not declared, unknown, out of range | a view that declared nothing of it; a descriptor that no world takes, a name of nobody; a number beyond all |
| ended | a view, loop, reader or group that was ended or destroyed |
| in a view, in a loop | while a view that writes the component is open; inside of a loop over it |
| shared | between keel_share_begin and keel_share_end |
| in another thread | than the world's, with a component bound to that where one is asked for |
| in a hook, in an observer, in a command | called from there; the observer and the hook run inside of an edit |
| in a system | with the context of one that declared nothing as the scope, or with the world |
| world destroyed | before |

"""


def api(root):
    return json.loads((root / "bindings/api.json").read_text())["functions"]


def right(function, parameter):
    for key in (f"{function}.{parameter['name']}", f"{parameter['type']} {parameter['name']}", parameter["type"]):
        if key in RIGHT:
            return RIGHT[key]
    sys.exit(f"tests/misuse/misuse.py: RIGHT has nothing for {parameter['type']} {parameter['name']} of {function}")


def ended(parameter):
    """A scope of a kind that the function takes, of before."""
    kinds = parameter.get("scopes", [])
    return ("KEEL_SCOPE(&f.ended_view)" if "view" in kinds else "KEEL_SCOPE(f.ended_reader)" if "reader" in kinds else
            "NULL")


def write_calls(root, out):
    calls, rows = [], []
    for function in api(root):
        name = function["name"]
        parameters = [p for p in function["params"] if p["name"] != "..."]
        given = [right(name, p).format(i=i, other=OTHER["reader" in p.get("scopes", [])], ended=ended(p))
                 for i, p in enumerate(parameters)]
        said = SAID.get(function["result"], "say_pointer" if function["result"].endswith("*") else
                        "say_number" if function["result"] in ("uint32_t", "uint64_t", "size_t", "double") else "(void)")
        is_number = " > 0" if said == "say_number" else ""
        calls.append(f"static void call_{name}(void) {{ {said}(({name})({', '.join(given)}){is_number}); }}"
                     if function["result"] != "void" else
                     f"static void call_{name}(void) {{ ({name})({', '.join(given)}); }}")
        where = "CONTEXT" if "given_context" in " ".join(given) else "PIECE" if "f.piece" in " ".join(given) else "ALONE"

        def row(parameter, at, wrong):
            rows.append(f'{{ "{name}", call_{name}, "{parameter}", {at}, IS_{wrong}, {where} }},')
        row("", -1, "NOTHING")
        if name in UNDEFINED:
            continue
        for i, (parameter, expression) in enumerate(zip(parameters, given)):
            helper = re.match(r"(?:\(\w+ \*\))?(given_\w+)\(|", expression).group(1)
            for wrong in WRONGS.get(helper, []):
                allowed = parameter.get("nullable") or f"{name}.{parameter['name']}" in OPTIONAL
                kinds = parameter.get("scopes", [])
                if (wrong == "NULL" and allowed or wrong == "UNDECLARED" and "view" not in kinds or
                        wrong == "ENDED" and kinds and ended(parameter) == "NULL" or
                        f"{name}.{parameter['name']}" in UNDEFINED):
                    continue
                row(parameter["name"], i, wrong)
        if where == "ALONE" and any(re.search("world|scope|snapshot|ring|history", g) for g in given):
            for situation in SITUATIONS:
                if f"{name}.{situation}" not in UNDEFINED:
                    row("", -1, situation)
    out.write_text("// Written by tests/misuse/misuse.py.\n" + "\n".join(calls) +
                   "\nstatic const misuse misuses[] = {\n    " + "\n    ".join(rows) + "\n};\n")


def run(program):
    """By function, by kind of misuse: a list of parameters and what came of it."""
    found = {}
    done = subprocess.run([program], stdout=subprocess.PIPE, text=True, check=True)
    for line in done.stdout.splitlines():
        name, parameter, wrong, result = line.split("\t")
        found.setdefault(name, {}).setdefault(wrong, []).append((parameter, result))
    for name, _, what in (text.partition(".") for text in UNDEFINED):
        if what:
            wrong, parameter = (what, "") if what in SITUATIONS else ("NULL", what)
            found[name].setdefault(wrong, []).append((parameter, "undefined"))
    return found


def cell(misuses, kinds):
    """`ARGUMENT!`, or `e DEAD_ENTITY; component ARGUMENT!` where they differ."""
    found = [(parameter, result) for kind in kinds for parameter, result in misuses.get(kind, [])]
    by_parameter = {}
    for parameter, result in found:
        results = by_parameter.setdefault(parameter, [])
        if result not in results:
            results.append(result)
    texts = {parameter: ", ".join(results) for parameter, results in by_parameter.items()}
    if len(set(texts.values())) < 2:
        return "".join(set(texts.values()))
    return "; ".join(f"`{parameter}` {text}" for parameter, text in texts.items())


def table(root, found):
    lines, header = [], ""
    for function in api(root):
        if function["header"] != header:
            header = function["header"]
            lines += [f"## {header}", "", "| function | " + " | ".join(COLUMNS) + " |", "|---" * (len(COLUMNS) + 1) + "|"]
        misuses = found[function["name"]]
        cells = ["undefined"] if function["name"] in UNDEFINED else [cell(misuses, kinds) for kinds in COLUMNS.values()]
        cells += [""] * (len(COLUMNS) - len(cells))
        lines.append(f"| `{function['name']}` | " + " | ".join(cells) + " |")
        if function is api(root)[-1]:
            break
    text = "\n".join(lines) + "\n"
    return TEXT + re.sub(r"\n## ", "\n\n## ", text)


def in_release(text):
    """Without the marks of assertions and without what is seen in checked builds only: the last column."""
    def alike(found):  # "`a` ok; `b` ok": what differed by a mark only
        results = set(re.split(r"(?:; )?`\w+` ", found.group(1))[1:])
        return f"| {results.pop()} |" if len(results) == 1 else found.group(0)
    rows = re.sub(r"^(\| `.*\|)[^|]*\|$", r"\1", text, flags=re.M).replace("!", "")
    return re.sub(r"\| ((?:; )?`\w+` [^|]*;[^|]*) \|(?= )", alike, rows)


def main():
    what, root, path = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    if what == "calls":
        return write_calls(root, path)
    found = run(path)
    is_checked = any("!" in result for misuses in found.values() for all in misuses.values() for _, result in all)
    bad = [f"{name}, {parameter} {wrong}: {result}" for name, misuses in found.items() for wrong, all in misuses.items()
           for parameter, result in all if re.search("crash|hangs|changed|broken", result)]
    bad += [f"{name}: {result} when all is right" for name, misuses in found.items() for _, result in misuses["NOTHING"]
            if re.search("!|[A-Z]{4}", result.replace("ABSENT", "").replace("NULL", "")) and name not in NO_SUCCESS]
    text, kept = table(root, found), root / "docs/reference/misuse.md"
    if what == "write":
        kept.write_text(text)
    else:
        before = kept.read_text()
        if not is_checked:
            before, text = in_release(before), in_release(text)
        for old, new in zip(before.splitlines(), text.splitlines()):
            if old != new:
                bad.append(f"docs/reference/misuse.md says\n  {old}\nand it is\n  {new}")
        if len(before.splitlines()) != len(text.splitlines()):
            bad.append("docs/reference/misuse.md has other rows: run tests/misuse/misuse.py write")
    print("\n".join(bad))
    print(f"{len(found)} functions, {sum(len(all) for m in found.values() for all in m.values())} calls, {len(bad)} wrong")
    sys.exit(bool(bad))


main()
