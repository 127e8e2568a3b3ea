// SPDX-License-Identifier: MIT
// The files of a checkpoint: one part of each rank, and a manifest that names all parts.
#pragma once
#include "domain.h"

enum { MPI_PART_NAME = 48, MPI_MANIFEST_BYTES = 1 << 20 };

// The file of one rank.
typedef struct mpi_part {
    char name[MPI_PART_NAME];
    uint64_t size, hash; // of its bytes
    uint64_t serial;     // number of the last id that the rank gave
} mpi_part;

typedef struct mpi_manifest {
    uint64_t steps;  // steps that were played
    uint64_t schema; // keeli_schema_hash of the program that saved
    uint32_t count;  // number of parts
    mpi_part *parts;
} mpi_manifest;

uint64_t keeli_manifest_hash(const void *bytes, size_t size);
// Returns the text of a manifest, which the caller frees. NULL when out of memory.
char *keeli_manifest_text(const mpi_manifest *manifest);
// Reads a manifest. On error it has no parts, and `why` is the reason.
keel_result keeli_manifest_read(mpi_manifest *manifest, const char *text, size_t size,
                                const char **why);

// ------------------------------------------------------------------ the files of a folder
// Returns `folder/name`, which the caller frees; NULL when out of memory.
char *keeli_checkpoint_path(const char *folder, const char *name);
// Makes the folder if it is missing, and returns a number that none of its files has.
keel_result keeli_checkpoint_folder(keel_domain *d, const char *folder, bool *is_new,
                                    uint64_t *number);
// Saves the world as the part of this rank.
keel_result keeli_checkpoint_write_part(keel_domain *d, const char *folder, uint64_t number,
                                        mpi_part *part);
// Fails if this rank does not see a part that another one wrote.
keel_result keeli_checkpoint_check_part(keel_domain *d, const char *folder, const mpi_part *part);
// Puts the manifest in place. `is_there` is true if it is, also after an error.
keel_result keeli_checkpoint_write_manifest(keel_domain *d, const char *folder,
                                            const mpi_manifest *manifest, bool *is_there);
// Reads a file of at most `most` bytes, which the caller frees.
keel_result keeli_checkpoint_read_file(keel_domain *d, const char *path, size_t most, void **bytes,
                                       size_t *size);
// Deletes the files of a number, or all other parts and temporary files.
void keeli_checkpoint_delete(const char *folder, uint64_t number, bool others);
