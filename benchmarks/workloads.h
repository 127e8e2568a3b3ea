// SPDX-License-Identifier: MIT
// Every workload, in the order of the table: X(name, raw, warm, group, sizes, samples). What each
// one measures stands in README.md.
//   raw      the workload whose raw version is its limit: its own name, or one that it shares
//   warm     1: an untimed sample comes first; 0: the first use is what is measured
//   group    which storages run it: 0 all but the group (it changes nothing), 1 all, 2 the group
//   only,
//            3 sparse sets and the group, 4 sparse sets only, 5 all but the group, and `advised`:
//            each component in the storage that docs/understand/storages.md recommends for it
//   sizes    N, the last part of the benchmark's name
//   samples  timed samples in one repetition, for each size
#pragma once

// clang-format off
#define BENCH_WORKLOADS(X) \
    X(create_empty,         create_empty,         1, 0, (10000, 100000, 1000000), (20, 4, 1)) \
    X(create_empty_bulk,    create_empty_bulk,    1, 0, (10000, 100000, 1000000), (40, 8, 2)) \
    X(create_2,             create_2,             1, 1, (10000, 100000, 1000000), (20, 4, 1)) \
    X(create_2_pointer,     create_2,             1, 1, (10000, 100000, 1000000), (20, 4, 1)) \
    X(create_2_bulk,        create_2_bulk,        1, 1, (10000, 100000, 1000000), (40, 8, 2)) \
    X(create_empty_cold,    create_empty_cold,    0, 0, (100000, 1000000), (1, 1)) \
    X(create_2_cold,        create_2_cold,        0, 1, (100000, 1000000), (1, 1)) \
    X(create_2_bulk_cold,   create_2_bulk_cold,   0, 1, (100000, 1000000), (1, 1)) \
    X(create_2_worst,       create_2_worst,       0, 0, (1000000), (1)) \
    X(memory_2,             memory_2,             0, 1, (1000000), (1)) \
    X(memory_2_bulk,        memory_2,             0, 1, (1000000), (1)) \
    X(memory_8_all,         memory_8_all,         0, 0, (1000000), (1)) \
    X(memory_8_10pct,       memory_8_all,         0, 0, (1000000), (1)) \
    X(memory_8_1pct,        memory_8_all,         0, 0, (1000000), (1)) \
    X(memory_64_all,        memory_64_all,        0, 0, (1000000), (1)) \
    X(memory_64_10pct,      memory_64_all,        0, 0, (1000000), (1)) \
    X(memory_64_1pct,       memory_64_all,        0, 0, (1000000), (1)) \
    X(destroy_2,            destroy_2,            1, 1, (10000, 100000, 1000000), (20, 4, 1)) \
    X(destroy_2_64types,    destroy_2,            1, 0, (100000), (4)) \
    X(destroy_2_500types,   destroy_2,            1, 0, (100000), (2)) \
    X(add_1,                add_1,                1, 1, (10000, 100000, 1000000), (20, 4, 1)) \
    X(add_1_pointer,        add_1,                1, 1, (10000, 100000, 1000000), (20, 4, 1)) \
    X(add_1_worst,          add_1_worst,          0, 0, (1000000), (1)) \
    X(remove_1,             remove_1,             1, 1, (10000, 100000, 1000000), (20, 4, 1)) \
    X(get_random,           get_random,           1, 0, (10000, 100000, 1000000), (3, 3, 3)) \
    X(get_random_checked,   get_random,           1, 0, (10000, 100000, 1000000), (3, 3, 3)) \
    X(iter_1,               iter_1,               1, 0, (10000, 100000, 1000000), (3, 3, 3)) \
    X(iter_2,               iter_2,               1, 1, (10000, 100000, 1000000), (3, 3, 3)) \
    X(iter_3,               iter_3,               1, 1, (10000, 100000, 1000000), (3, 3, 3)) \
    X(iter_2_half,          iter_2_half,          1, 1, (10000, 100000, 1000000), (3, 3, 3)) \
    X(iter_2_sparse1pct,    iter_2_sparse1pct,    1, 1, (10000, 100000, 1000000, 10000000), (3, 3, 3, 3)) \
    X(iter_2_sparse1in10k,  iter_2_sparse1in10k,  1, 1, (10000000), (3)) \
    X(iter_2_shuffled,      iter_2_shuffled,      1, 0, (10000, 100000, 1000000), (3, 3, 3)) \
    X(iter_excl,            iter_excl,            1, 1, (10000, 100000, 1000000), (3, 3, 3)) \
    X(simple_iter,          simple_iter,          1, 1, (10000), (3)) \
    X(frag_iter,            frag_iter,            1, 0, (520), (20)) \
    X(frag_many,            frag_many,            1, 1, (65536), (3)) \
    X(heavy_seq,            heavy_seq,            1, 1, (1000), (3)) \
    X(heavy_par,            heavy_par,            1, 1, (1000), (3)) \
    X(schedule_seq,         schedule_seq,         1, 0, (60000), (3)) \
    X(schedule_par,         schedule_par,         1, 0, (60000), (3)) \
    X(empty_system,         empty_system,         1, 0, (100), (20)) \
    X(churn_frame,          churn_frame,          1, 1, (100000), (2)) \
    X(churn_frame_p999,     churn_frame_p999,     0, 1, (100000), (1)) \
    X(change_mark,          change_mark,          1, 0, (100000), (20)) \
    X(change_iter,          change_iter,          1, 0, (100000), (20)) \
    X(change_none,          change_none,          1, 0, (100000), (20)) \
    X(observer_add,         observer_add,         1, 0, (100000), (4)) \
    X(hier_attach,          hier_attach,          1, 0, (111000), (3)) \
    X(hier_traverse,        hier_traverse,        1, 0, (111000), (3)) \
    X(hier_destroy,         hier_destroy,         1, 0, (111000), (3)) \
    X(tree_target,          tree_target,          1, 0, (111000), (10)) \
    X(tree_target_by_hand,  tree_target,          1, 0, (111000), (10)) \
    X(tree_up,              tree_up,              1, 0, (111000), (10)) \
    X(tree_up_shuffled,     tree_up,              1, 0, (111000), (10)) \
    X(tree_up_edited,       tree_up,              1, 0, (111000), (10)) \
    X(tree_up_edited_shuffled, tree_up,           1, 0, (111000), (10)) \
    X(tree_changed_none,    tree_up,              1, 0, (111000), (10)) \
    X(tree_changed_1pct,    tree_up,              1, 0, (111000), (10)) \
    X(rel_relate,           rel_relate,           1, 0, (111000), (3)) \
    X(rel_relate_many,      rel_relate_many,      1, 0, (100000), (3)) \
    X(rel_visit,            rel_visit,            1, 0, (111000), (3)) \
    X(rel_unrelate,         rel_unrelate,         1, 0, (111000), (3)) \
    X(rel_target_dies,      rel_target_dies,      1, 0, (111000), (3)) \
    X(spawn_tree,           spawn_tree,           1, 0, (110000), (4)) \
    X(spawn_tree_one,       spawn_tree,           1, 0, (110000), (4)) \
    X(spawn_tree_by_hand,   spawn_tree,           1, 0, (110000), (4)) \
    X(spawn_5,              spawn_5,              1, 0, (100000), (4)) \
    X(spawn_5_fill,         spawn_5,              1, 0, (100000), (4)) \
    X(spawn_5_one,          spawn_5,              1, 0, (100000), (4)) \
    X(spawn_5_by_hand,      spawn_5,              1, 0, (100000), (4)) \
    X(snapshot_take,        snapshot_take,        1, 0, (100000, 1000000), (3, 3)) \
    X(snapshot_restore,     snapshot_take,        1, 0, (100000, 1000000), (3, 3)) \
    X(snapshot_copy_world,  snapshot_take,        1, 0, (100000, 1000000), (3, 3)) \
    X(snapshot_take_none,   snapshot_take,        1, 0, (100000, 1000000), (3, 3)) \
    X(snapshot_take_side,   snapshot_take,        1, 0, (100000, 1000000), (3, 3)) \
    X(snapshot_take_rnd,    snapshot_take,        1, 0, (100000, 1000000), (3, 3)) \
    X(snapshot_take_mark,   snapshot_take,        1, 0, (100000, 1000000), (3, 3)) \
    X(snapshot_back_side,   snapshot_take,        1, 0, (100000, 1000000), (3, 3)) \
    X(hash_all,             hash_all,             1, 0, (100000, 1000000), (3, 3)) \
    X(hash_side,            hash_all,             1, 0, (100000, 1000000), (3, 3)) \
    X(hash_check_all,       hash_all,             1, 0, (100000), (3)) \
    X(hash_check_side,      hash_all,             1, 0, (100000), (3)) \
    X(ring_same_run_1,      ring_all,             1, 0, (100000), (20)) \
    X(ring_run_1,           ring_all,             1, 0, (100000), (20)) \
    X(ring_same_rnd_1,      ring_all,             1, 0, (100000), (20)) \
    X(ring_rnd_1,           ring_all,             1, 0, (100000), (20)) \
    X(ring_same_run_10,     ring_all,             1, 0, (100000), (20)) \
    X(ring_run_10,          ring_all,             1, 0, (100000), (20)) \
    X(ring_same_rnd_10,     ring_all,             1, 0, (100000), (20)) \
    X(ring_rnd_10,          ring_all,             1, 0, (100000), (20)) \
    X(ring_all,             ring_all,             1, 0, (100000), (20)) \
    X(ring_relate,          ring_relate,          1, 4, (16000, 128000), (200, 200)) \
    X(ring_relate_one,      ring_relate,          1, 4, (16000, 128000), (200, 200)) \
    X(ring_relate_value,    ring_relate,          1, 4, (16000, 128000), (200, 200)) \
    X(sort_random,          sort_random,          1, 3, (150000), (1)) \
    BENCH_SAVE_WORKLOADS(X) \
    BENCH_GAME_WORKLOADS(X) \
    BENCH_ENTT_WORKLOADS(X)

// A small game (game.h): frames, and edits of its entities.
#define BENCH_GAME_WORKLOADS(X) \
    X(game_systems,                  game_systems,         1, 5, (1024, 32768, 1048576), (3, 3, 2)) \
    X(game_systems_graph_par,        game_systems,         1, 5, (1024, 32768), (3, 3)) \
    X(game_systems_split_par,        game_systems,         1, 5, (1024, 32768), (3, 3)) \
    X(game_systems_mixed,            game_systems_mixed,   1, 5, (1024, 32768, 1048576), (3, 3, 2)) \
    X(game_systems_mixed_graph_par,  game_systems_mixed,   1, 5, (1024, 32768), (3, 3)) \
    X(game_systems_mixed_split_par,  game_systems_mixed,   1, 5, (1024, 32768), (3, 3)) \
    X(game_complex,                  game_complex,         1, 5, (1024, 32768, 1048576), (3, 3, 2)) \
    X(game_complex_graph_par,        game_complex,         1, 5, (1024, 32768), (3, 3)) \
    X(game_complex_split_par,        game_complex,         1, 5, (1024, 32768), (3, 3)) \
    X(game_complex_mixed,            game_complex_mixed,   1, 5, (1024, 32768, 1048576), (3, 3, 2)) \
    X(game_complex_mixed_graph_par,  game_complex_mixed,   1, 5, (1024, 32768, 1048576), (3, 3, 2)) \
    X(game_complex_mixed_split_par,  game_complex_mixed,   1, 5, (1024, 32768, 1048576), (3, 3, 2)) \
    X(threads_graph,                 threads_graph,        1, 5, (1024, 8192, 16384), (1, 1, 1)) \
    X(threads_split,                 threads_graph,        1, 5, (1024, 8192, 16384), (1, 1, 1)) \
    X(game_create_2,                 game_create_2,        1, 5, (1024, 32768, 1048576), (40, 8, 1)) \
    X(game_create_2_recycled,        game_create_2,        1, 5, (1024, 32768, 1048576), (40, 8, 1)) \
    X(game_create_2_bulk,            game_create_2_bulk,   1, 5, (1024, 32768, 1048576), (40, 8, 1)) \
    X(game_create_2_bulk_recycled,   game_create_2_bulk,   1, 5, (1024, 32768, 1048576), (40, 8, 1)) \
    X(game_destroy_2,                game_destroy_2,       1, 5, (1024, 32768, 1048576), (40, 8, 1)) \
    X(game_destroy_2_bulk,           game_destroy_2,       1, 5, (1024, 32768, 1048576), (40, 8, 1)) \
    X(game_unpack_0,                 game_unpack_0,        1, 5, (1024, 32768, 1048576), (3, 3, 1)) \
    X(game_unpack_1,                 game_unpack_1,        1, 5, (1024, 32768, 1048576), (3, 3, 1)) \
    X(game_unpack_2,                 game_unpack_2,        1, 5, (1024, 32768, 1048576), (3, 3, 1)) \
    X(game_unpack_3,                 game_unpack_3,        1, 5, (1024, 32768, 1048576), (3, 3, 1)) \
    X(game_add_1,                    game_add_1,           1, 5, (1024, 32768, 1048576), (40, 8, 1)) \
    X(game_remove_add_1,             game_remove_add_1,    1, 5, (1024, 32768, 1048576), (40, 8, 1))

// Where the packages of keel::save are.
#ifdef BENCH_WITHOUT_SAVE
#define BENCH_SAVE_WORKLOADS(X)
#else
#define BENCH_SAVE_WORKLOADS(X) \
    X(save_mixed,           save_mixed,           1, 0, (1000000), (3)) \
    X(save_mixed_memcpy,    save_mixed_memcpy,    1, 0, (1000000), (3)) \
    X(save_mixed_size,      save_mixed_size,      0, 0, (1000000), (1)) \
    X(load_mixed,           load_mixed,           1, 0, (1000000), (3)) \
    X(autosave,             autosave,             1, 0, (100000, 1000000), (3, 3))
#endif

// The cases of EnTT's own benchmark that are not among the rows above.
#define BENCH_ENTT_WORKLOADS(X) \
    X(entt_create_many_and_emplace_components,   entt_create_many_and_emplace_components, 1, 0, (1000000), (1)) \
    X(entt_erase_many,                           entt_erase_many,                         1, 0, (1000000), (1)) \
    X(entt_erase_many_multi,                     entt_erase_many_multi,                   1, 0, (1000000), (1)) \
    X(entt_clear,                                entt_clear,                              1, 0, (1000000), (1)) \
    X(entt_clear_multi,                          entt_clear_multi,                        1, 0, (1000000), (1)) \
    X(entt_recycle,                              entt_recycle,                            1, 0, (1000000), (1)) \
    X(entt_recycle_many,                         entt_recycle,                            1, 0, (1000000), (1)) \
    X(entt_destroy,                              entt_destroy,                            1, 0, (1000000), (1)) \
    X(entt_destroy_many,                         entt_destroy,                            1, 0, (1000000), (1)) \
    X(entt_destroy_many_multi,                   entt_destroy_many_multi,                 1, 0, (1000000), (1)) \
    X(entt_get_from_registry,                    entt_get_from_registry,                  1, 0, (1000000), (2)) \
    X(entt_get_from_registry_multi,              entt_get_from_registry_multi,            1, 0, (1000000), (2)) \
    X(entt_get_from_view,                        entt_get_from_registry,                  1, 0, (1000000), (2)) \
    X(entt_get_from_view_multi,                  entt_get_from_registry_multi,            1, 0, (1000000), (2)) \
    X(entt_iterate_single_component,             entt_iterate_single_component,           1, 0, (1000000), (2)) \
    X(entt_iterate_single_component_runtime,     entt_iterate_single_component,           1, 0, (1000000), (2)) \
    X(entt_iterate_two_components,               entt_iterate_two_components,             1, 1, (1000000), (2)) \
    X(entt_iterate_two_components_half,          entt_iterate_two_components_half,        1, 1, (1000000), (2)) \
    X(entt_iterate_two_components_one,           entt_iterate_two_components_one,         1, 1, (1000000), (2)) \
    X(entt_iterate_two_components_runtime,       entt_iterate_two_components,             1, 0, (1000000), (2)) \
    X(entt_iterate_two_components_runtime_half,  entt_iterate_two_components_half,        1, 0, (1000000), (2)) \
    X(entt_iterate_two_components_runtime_one,   entt_iterate_two_components_one,         1, 0, (1000000), (2)) \
    X(entt_iterate_three_components,             entt_iterate_three_components,           1, 1, (1000000), (2)) \
    X(entt_iterate_three_components_half,        entt_iterate_three_components_half,      1, 1, (1000000), (2)) \
    X(entt_iterate_three_components_one,         entt_iterate_three_components_one,       1, 1, (1000000), (2)) \
    X(entt_iterate_three_components_runtime,     entt_iterate_three_components,           1, 0, (1000000), (2)) \
    X(entt_iterate_three_components_runtime_half, entt_iterate_three_components_half,      1, 0, (1000000), (2)) \
    X(entt_iterate_three_components_runtime_one, entt_iterate_three_components_one,       1, 0, (1000000), (2)) \
    X(entt_iterate_five_components,              entt_iterate_five_components,            1, 1, (1000000), (2)) \
    X(entt_iterate_five_components_half,         entt_iterate_five_components_half,       1, 1, (1000000), (2)) \
    X(entt_iterate_five_components_one,          entt_iterate_five_components_one,        1, 1, (1000000), (2)) \
    X(entt_iterate_five_components_runtime,      entt_iterate_five_components,            1, 0, (1000000), (2)) \
    X(entt_iterate_five_components_runtime_half, entt_iterate_five_components_half,       1, 0, (1000000), (2)) \
    X(entt_iterate_five_components_runtime_one,  entt_iterate_five_components_one,        1, 0, (1000000), (2)) \
    X(entt_iterate_two_components_nonowning,     entt_iterate_two_components,             1, 2, (1000000), (2)) \
    X(entt_iterate_two_components_partial,       entt_iterate_two_components,             1, 2, (1000000), (2)) \
    X(entt_iterate_three_components_nonowning,   entt_iterate_three_components,           1, 2, (1000000), (2)) \
    X(entt_iterate_three_components_partial,     entt_iterate_three_components,           1, 2, (1000000), (2)) \
    X(entt_iterate_five_components_nonowning,    entt_iterate_five_components,            1, 2, (1000000), (2)) \
    X(entt_iterate_five_components_partial_4,    entt_iterate_five_components,            1, 2, (1000000), (2)) \
    X(entt_iterate_five_components_partial_3,    entt_iterate_five_components,            1, 2, (1000000), (2)) \
    X(entt_iterate_pathological,                 entt_iterate_pathological,               1, 1, (1000000), (3)) \
    X(entt_iterate_pathological_nonowning,       entt_iterate_pathological,               1, 2, (1000000), (3)) \
    X(entt_iterate_pathological_partial,         entt_iterate_pathological,               1, 2, (1000000), (3)) \
    X(entt_sort_single,                          entt_sort_single,                        1, 3, (150000), (1)) \
    X(entt_sort_multi,                           entt_sort_multi,                         1, 4, (150000), (1)) \
    X(entt_sort_almost_sorted,                   entt_sort_almost_sorted,                 1, 3, (150000), (1))
// clang-format on
