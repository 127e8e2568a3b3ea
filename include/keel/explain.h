// SPDX-License-Identifier: MIT
/// @file explain.h
/// What a workload becomes: its systems in batches, what kept each of them out of the batch before,
/// and the graph that is run. As data, as text for people, as a drawing, as JSON.
///
/// A workload is made ready by being explained, as by its first run: components that it names
/// become known to the world. Nothing runs. What is explained holds until the workload, its steps,
/// the world's stored workloads, its components or its groups change.
///
/// **Batches** are how a scheduler with a barrier after each round would run it: a system joins the
/// last batch, unless something there is in its way; then it begins the next one. Keel does not
/// wait for batches: a system starts when those are done that have an edge to it.
#pragma once
#include <keel/workload.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a part of a workload is.
typedef enum keel_node_kind {
    KEEL_NODE_SYSTEM,   ///< a system runs
    KEEL_NODE_COMMANDS, ///< the commands that a system recorded are applied
    KEEL_NODE_BARRIER,  ///< KEEL_BARRIER
    KEEL_NODE_BEGIN,    ///< a nested workload begins: its conditions are asked
    KEEL_NODE_END,      ///< a nested workload has ended
    KEEL_NODE_JOIN      ///< many steps have ended that many others wait for, by one name
} keel_node_kind;

/// Why one part of a workload waits for another. Where several are true the first one is given.
typedef enum keel_wait_kind {
    KEEL_WAIT_NONE,     ///< it does not
    KEEL_WAIT_COMMANDS, ///< it is the other one's commands
    KEEL_WAIT_WORLD,    ///< one of them touches all there is
    KEEL_WAIT_STORAGE,  ///< both touch a component or unique, and not both only read it
    KEEL_WAIT_BARRIER,  ///< there is a barrier between them
    KEEL_WAIT_NESTED,   ///< the nested workload that it is in begins, or ends
    KEEL_WAIT_THREAD,   ///< the calling thread runs both, or is needed for the entities it creates
    KEEL_WAIT_ORDER     ///< it was asked for: .after, .before, .sequential
} keel_wait_kind;

/// Why one part of a workload waits for another.
typedef struct keel_wait {
    keel_wait_kind kind;      ///< why
    const char *storage;      ///< KEEL_WAIT_STORAGE: what both touch; otherwise NULL
    keel_access access;       ///< what the one that waits does with it
    keel_access other_access; ///< what the other one does with it
    bool is_event; ///< it is a type of events: who reads it receives, who writes it sends
} keel_wait;

/// No batch, no node.
#define KEEL_NO_NODE UINT32_MAX

/// A part of a workload. Names live as long as what they are names of.
typedef struct keel_workload_node {
    keel_node_kind kind;       ///< what it is
    const char *name;          ///< of the system or of the nested workload; "a barrier", "a join"
    const char *workload;      ///< the innermost workload that it is in
    const keel_system *system; ///< the system; with KEEL_NODE_COMMANDS the one that recorded them
    /// Which system that is in the order of the lists, nested ones written out: from 0 on.
    uint32_t position;
    uint32_t batch;   ///< from 0 on; KEEL_NO_NODE for what is neither a system nor commands
    uint32_t other;   ///< the node in the batch before that kept it out, or KEEL_NO_NODE
    keel_wait why;    ///< how that one is in its way
    bool alone;       ///< it touches everything, or edits what is observed: nothing runs beside it
    bool main_thread; ///< it runs on the thread that runs the workload
    bool parallel;    ///< it is split over the workers
} keel_workload_node;

/// A part of a workload that waits for another one.
typedef struct keel_workload_edge {
    uint32_t from; ///< the node that has to end
    uint32_t to;   ///< the one that waits
    keel_wait why; ///< for what
} keel_workload_edge;

/// How keel_world_explain_workload writes it down.
typedef enum keel_explain_format {
    KEEL_EXPLAIN_TEXT, ///< for people; the wording may change with any version
    KEEL_EXPLAIN_DOT,  ///< the graph, for Graphviz: `dot -Tsvg`
    KEEL_EXPLAIN_JSON  ///< one object with "nodes" and "edges", named as in the structs here; what
                       ///< is done with events is "send" and "receive"
} keel_explain_format;

/// The parts of a workload in linear order, that is in an order in which they could run one by one:
/// keel_workload_nodes. The batches of systems and commands ascend.
/// @param workload a table, or a stored one that keel_find_workload found
/// @param nodes receives the first `capacity` of them; may be NULL when `capacity` is 0
/// @return how many there are; 0 for an empty workload, and on error: those that
///   keel_run_workload_of returns before anything runs, kept for keel_last_error
/// @threads the owner
KEEL_API uint32_t keel_world_workload_nodes(keel_world *world, const keel_workload *workload,
                                            keel_workload_node *nodes, uint32_t capacity);

/// What waits for what: keel_workload_edges. `from` ascends, and for each so does `to`; `from` is
/// below `to`. What follows from two others may be left out.
/// @param edges receives the first `capacity` of them; may be NULL when `capacity` is 0
/// @return as keel_world_workload_nodes
/// @threads the owner
KEEL_API uint32_t keel_world_workload_edges(keel_world *world, const keel_workload *workload,
                                            keel_workload_edge *edges, uint32_t capacity);

/// The whole plan of a workload, written down: keel_explain_workload.
/// @param text receives at most `size` bytes, the terminating zero included; may be NULL when
///   `size` is 0
/// @return the length of the whole text without the zero, as snprintf; 0 on error, as
///   keel_world_workload_nodes
/// @threads the owner
KEEL_API size_t keel_world_explain_workload(keel_world *world, const keel_workload *workload,
                                            keel_explain_format format, char *text, size_t size);

#ifdef __cplusplus
}
#endif
