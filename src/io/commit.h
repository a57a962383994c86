/* Files that appear whole or not at all: written under a temporary name, brought to the disk, renamed.
 *
 * Callable from jobs of the writer and from the main thread. Errors: SF_IO, SF_MEMORY. SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>

/* The temporary name of `path`, path.tmp.<process>, under which nothing lies afterwards: the caller creates the file
 * exclusively (O_EXCL, "wx", NC_NOCLOBBER), so that a link that somebody put there in between is never followed. The
 * caller frees the name. */
int commit_name(const char *path, char **temporary);

/* fsync the file, rename it to `path`, fsync the directory. On failure the temporary is removed and whatever was
 * under `path` is still there. */
int commit_file(const char *temporary, const char *path);

/* fsync the directory that `path` lies in: 0, or -1 and errno. */
int commit_directory(const char *path);

/* Write `size` bytes of `text` as the file `path`. */
int commit_text(const char *path, const char *text, size_t size);

/* Write what the file `from` holds as the file `path`, which may be the same; a file of any size takes 1 MiB of memory.
 * Errors: SF_INPUT where `from` cannot be read, too. */
int commit_copy(const char *path, const char *from);
