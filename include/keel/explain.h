// SPDX-License-Identifier: MIT
/// @file explain.h
/// Describes the plan of a workload: its systems in batches, the reason why each system is not in
/// an earlier batch, and the graph that is run. The description is data, text, JSON, or a graph for
/// Graphviz.
///
/// Explaining a workload prepares it as its first run does: components that it names are registered
/// with the world. Nothing runs. The answer holds until the workload, its steps, the world's stored
/// workloads, its components or its groups change.
///
/// **Batches** show how a scheduler with a barrier after each batch would run the workload: a
/// system joins the last batch, unless it conflicts with a system of that batch; then it begins a
/// new batch. Keel does not wait for batches: a system starts when all systems that have an edge to
/// it have ended.
#pragma once
#include <keel/workload.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The kind of a part of a workload.
typedef enum keel_node_kind {
    KEEL_NODE_SYSTEM,   ///< runs a system
    KEEL_NODE_COMMANDS, ///< applies the commands that a system recorded
    KEEL_NODE_BARRIER,  ///< KEEL_BARRIER
    KEEL_NODE_BEGIN,    ///< begins a nested workload: asks its conditions
    KEEL_NODE_END,      ///< ends a nested workload
    KEEL_NODE_JOIN ///< no work: stands for all steps of one name, so that a step which waits for
                   ///< the name needs one edge and not one for each of them
} keel_node_kind;

/// The reason why one part of a workload waits for another. If there are several reasons, the first
/// in this list is given.
typedef enum keel_wait_kind {
    KEEL_WAIT_NONE,     ///< the part does not wait for another one
    KEEL_WAIT_COMMANDS, ///< the waiting part applies the commands of the other one
    KEEL_WAIT_WORLD,    ///< one of the two parts uses the whole world
    KEEL_WAIT_STORAGE,  ///< both use a component or unique, and at least one of them does more than
                        ///< read it
    KEEL_WAIT_BARRIER,  ///< there is a barrier between them
    KEEL_WAIT_NESTED,   ///< one of the two parts is the begin or end of a nested workload, and the
                        ///< other one is inside of it
    KEEL_WAIT_THREAD,   ///< the other part runs on the thread that runs the workload. The
                        ///< waiting part runs there, too, or may create entities: if it ran
                        ///< first, it could block that thread while it waits for handles
    KEEL_WAIT_ORDER     ///< the program asked for the order: .after, .before, .sequential
} keel_wait_kind;

/// The reason why one part of a workload waits for another, with the storage.
typedef struct keel_wait {
    keel_wait_kind kind; ///< the reason
    const char *storage; ///< KEEL_WAIT_STORAGE: the name of the storage that both use; otherwise
                         ///< NULL
    keel_access access;  ///< access of the waiting part to the storage
    keel_access other_access; ///< access of the other part to the storage
    bool is_event; ///< true: the storage is a type of events, so reading means receiving and
                   ///< writing means sending
} keel_wait;

/// No batch or no node: a value of `batch` and `other` in keel_workload_node.
#define KEEL_NO_NODE UINT32_MAX

/// No step of a workload: a value of `position` in keel_timing and keel_step_end.
#define KEEL_NO_STEP UINT32_MAX

/// A part of a workload. Its names are valid as long as the system or workload that they name.
typedef struct keel_workload_node {
    keel_node_kind kind;  ///< the kind of the part
    const char *name;     ///< name of the system or of the nested workload; "a barrier", "a join"
    const char *workload; ///< name of the innermost workload around it
    const keel_system *system; ///< the system; for KEEL_NODE_COMMANDS the system that recorded the
                               ///< commands
    /// The position of `system` in the list of all steps, counted from 0. In this list the steps of
    /// a nested workload stand in the place of the nested workload.
    uint32_t position;
    uint32_t batch; ///< number of the batch, from 0 on; KEEL_NO_NODE for a part that is neither a
                    ///< system nor commands
    uint32_t other; ///< index of a node of the previous batch that this part waits for, so that it
                    ///< cannot be in that batch; KEEL_NO_NODE: none
    keel_wait why;  ///< the reason why this part waits for `other`
    bool alone;     ///< true: the part uses the whole world, or edits observed storages, so nothing
                    ///< runs beside it
    bool main_thread; ///< true: the part runs on the thread that runs the workload
    bool parallel;    ///< true: the part is split over the workers
} keel_workload_node;

/// An edge of the graph: one part of a workload waits for another.
typedef struct keel_workload_edge {
    uint32_t from; ///< index of the node that ends first, among keel_world_workload_nodes
    uint32_t to;   ///< index of the node that waits for `from`
    keel_wait why; ///< the reason
} keel_workload_edge;

/// The format of keel_world_explain_workload.
typedef enum keel_explain_format {
    KEEL_EXPLAIN_TEXT, ///< text for people; the wording may change with any version
    KEEL_EXPLAIN_DOT,  ///< the graph, for Graphviz: `dot -Tsvg`
    KEEL_EXPLAIN_JSON  ///< one object with "nodes" and "edges", named as in the structs here;
                       ///< access to events is "send" and "receive"
} keel_explain_format;

/// Returns the parts of a workload in linear order, an order in which they could run one by one.
/// The numbers of the batches of systems and commands ascend. Typed: keel_workload_nodes.
/// @param workload a table, or a stored workload that keel_find_workload returned
/// @param nodes receives the first `capacity` parts; may be NULL when `capacity` is 0
/// @return the number of parts; 0 for an empty workload, and on error. keel_last_error returns the
///   error: one of those that keel_run_workload_of returns before it runs the first system
/// @threads the owner
KEEL_API uint32_t keel_world_workload_nodes(keel_world *world, const keel_workload *workload,
                                            keel_workload_node *nodes, uint32_t capacity);

/// Returns the edges of the graph of a workload, sorted by `from`, then by `to`; `from` is below
/// `to`. An edge that follows from two others may be left out. Typed: keel_workload_edges.
/// @param edges receives the first `capacity` edges; may be NULL when `capacity` is 0
/// @return the number of edges; 0 also on error, as keel_world_workload_nodes
/// @threads the owner
KEEL_API uint32_t keel_world_workload_edges(keel_world *world, const keel_workload *workload,
                                            keel_workload_edge *edges, uint32_t capacity);

/// Writes the whole plan of a workload as text. Typed: keel_explain_workload.
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
