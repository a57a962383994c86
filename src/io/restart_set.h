/* The checkpoints of a directory: names, digest files, the manifest, what to keep. Rank 0 only; all may be called by a
 * job of a writer. Part of restart.h. SPDX-License-Identifier: MIT */
#pragma once

#include "io/restart_file.h"

enum { RESTART_PATH = 4096 };

/* dir/restart_<step>.nc. Errors: SF_IO: the path is too long, the directory cannot be written to, or netCDF would take
 * the path for an address. */
int restart_set_path(const char *dir, long step, char path[RESTART_PATH]);

/* Make the verified file `temporary` the checkpoint `path` of this step: digest file, rename, manifest; then delete
 * what the manifest does not name. Errors: SF_IO, SF_MEMORY. */
int restart_set_commit(const char *dir, const char *temporary, const char *path, long step);

/* Do the file's bytes agree with the digest file beside it? Errors: SF_RESTART. */
int restart_set_check(const char *path, restart_digest *digest);
