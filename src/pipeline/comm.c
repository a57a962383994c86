/* MPI behind a dozen plain functions, for messages of any size.
 * SPDX-License-Identifier: MIT */
#include "pipeline/comm.h"

#include "pipeline/error.h"
#include "pipeline/heartbeat.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void comm_rows(const struct comm *c, int nj, int rank, int *ja, int *jb)
{
    *ja = (int)((long long)nj * rank / c->size);
    *jb = (int)((long long)nj * (rank + 1) / c->size);
}

int comm_owner(const struct comm *c, int nj, int j)
{
    int r = (int)((long long)j * c->size / nj), ja, jb;
    for (;;) {
        comm_rows(c, nj, r, &ja, &jb);
        if (j < ja) r--;
        else if (j >= jb) r++;
        else return r;
    }
}

#if SF_MPI
#include <mpi.h>

static int failed(int rc, const char *what)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int n = 0;
    MPI_Error_string(rc, text, &n);
    return sf_fail(SF_COMM, __FILE__, __LINE__, "%s failed: %s", what, text);
}
#define MPI_TRY(call)                                                                                                  \
    do {                                                                                                               \
        const int rc_ = (call);                                                                                        \
        if (rc_ != MPI_SUCCESS) return failed(rc_, #call);                                                             \
    } while (0)

/* MPI counts items by an int. A message of more bytes than that is one item of a type of its own: blocks of 1 MiB and
 * the bytes that are left. */
enum { BLOCK = 1 << 20, MOST = 1 << 30 };

struct message {
    int count;
    MPI_Datatype type;
};

static int message_begin(size_t bytes, struct message *m)
{
    *m = (struct message){(int)bytes, MPI_BYTE};
    if (bytes <= MOST) return SF_OK;
    const int length[] = {(int)(bytes / BLOCK), (int)(bytes % BLOCK)};
    const MPI_Aint at[] = {0, (MPI_Aint)length[0] * BLOCK};
    MPI_Datatype part[] = {MPI_DATATYPE_NULL, MPI_BYTE};
    m->count = 1;
    MPI_TRY(MPI_Type_contiguous(BLOCK, MPI_BYTE, &part[0]));
    MPI_TRY(MPI_Type_create_struct(2, length, at, part, &m->type));
    MPI_TRY(MPI_Type_free(&part[0]));
    MPI_TRY(MPI_Type_commit(&m->type));
    return SF_OK;
}

/* Once the message is posted; MPI keeps the type until the message is through. */
static int message_end(struct message *m)
{
    if (m->type != MPI_BYTE) MPI_TRY(MPI_Type_free(&m->type));
    return SF_OK;
}

/* The ranks of this machine and the memory that they share to watch each other. */
static MPI_Comm machine = MPI_COMM_NULL;
static MPI_Win hearts = MPI_WIN_NULL;

static int watch_begin(int rank)
{
    const char *wanted = getenv("SFERIC_HEARTBEAT"); /* `off`: for whoever stops a rank on purpose, with a debugger */
    int n, mine, unit;
    MPI_Aint bytes;
    struct heart *heart;
    MPI_TRY(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine));
    MPI_TRY(MPI_Comm_size(machine, &n));
    MPI_TRY(MPI_Comm_rank(machine, &mine));
    if (n == 1 || (wanted && !strcmp(wanted, "off"))) return SF_OK;
    bytes = mine == 0 ? (MPI_Aint)(((size_t)n + 1) * sizeof *heart) : 0; /* and room to align them */
    MPI_TRY(MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, machine, &heart, &hearts));
    MPI_TRY(MPI_Win_shared_query(hearts, 0, &bytes, &unit, &heart));
    const uintptr_t line = _Alignof(struct heart);
    heart = (struct heart *)(((uintptr_t)heart + line - 1) / line * line); /* the same place for all: pages are alike */
    if (mine == 0) memset(heart, 0, (size_t)n * sizeof *heart);
    MPI_TRY(MPI_Barrier(machine));
    const int rc = heartbeat_begin(heart, n, mine, rank);
    int worst = rc; /* a rank that is not watched ends all: the others would wait for it */
    MPI_TRY(MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, machine));
    SF_CHECK(!worst || rc, worst, "another rank failed");
    return rc;
}

static void watch_end(void)
{
    heartbeat_end();
    if (hearts != MPI_WIN_NULL) MPI_Win_free(&hearts);
    if (machine != MPI_COMM_NULL) MPI_Comm_free(&machine);
}

int comm_begin(int *argc, char ***argv, struct comm *c)
{
    int provided = 0;
    *c = (struct comm){.size = 1};
    MPI_TRY(MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided));
    MPI_TRY(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    SF_CHECK(provided >= MPI_THREAD_FUNNELED, SF_COMM, "this MPI library offers no MPI_THREAD_FUNNELED");
    MPI_TRY(MPI_Comm_rank(MPI_COMM_WORLD, &c->rank));
    MPI_TRY(MPI_Comm_size(MPI_COMM_WORLD, &c->size));
    return c->size > 1 ? watch_begin(c->rank) : SF_OK;
}

void comm_end(void)
{
    int done = 0, begun = 0;
    MPI_Initialized(&begun);
    MPI_Finalized(&done);
    if (!begun || done) return;
    watch_end();
    MPI_Finalize();
}

void comm_abort(int code)
{
    MPI_Abort(MPI_COMM_WORLD, code);
    abort();
}

int comm_local(const struct comm *c)
{
    int mine = 0;
    if (c->imagined) return c->rank % c->imagined;
    if (c->size > 1 && machine != MPI_COMM_NULL) MPI_Comm_rank(machine, &mine);
    return mine;
}

int comm_locals(const struct comm *c)
{
    int all = 1;
    if (c->imagined) return c->imagined;
    if (c->size > 1 && machine != MPI_COMM_NULL) MPI_Comm_size(machine, &all);
    return all;
}

const char *comm_version(void)
{
    static char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int n = 0;
    MPI_Get_library_version(text, &n);
    text[strcspn(text, ",\n")] = '\0';
    return text;
}

int comm_bcast(const struct comm *c, void *data, size_t bytes)
{
    if (comm_is_alone(c) || !bytes) return SF_OK;
    struct message m;
    SF_TRY(message_begin(bytes, &m));
    MPI_TRY(MPI_Bcast(data, m.count, m.type, 0, MPI_COMM_WORLD));
    return message_end(&m);
}

int comm_max(const struct comm *c, int *value)
{
    if (comm_is_alone(c)) return SF_OK;
    MPI_TRY(MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
    return SF_OK;
}

int comm_max_double(const struct comm *c, double *value)
{
    if (comm_is_alone(c)) return SF_OK;
    MPI_TRY(MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD));
    return SF_OK;
}

/* Tag 0 is that of what rank 0 collects and deals out, between messages that others posted before or will wait for
 * later. */
enum { TAG_WHOLE, TAG_POSTED };

static int send_all(const char *data, size_t bytes, int peer)
{
    struct message m;
    if (!bytes) return SF_OK; /* nobody waits for it */
    SF_TRY(message_begin(bytes, &m));
    MPI_TRY(MPI_Send(data, m.count, m.type, peer, TAG_WHOLE, MPI_COMM_WORLD));
    return message_end(&m);
}

static int recv_all(char *data, size_t bytes, int peer)
{
    struct message m;
    if (!bytes) return SF_OK;
    SF_TRY(message_begin(bytes, &m));
    MPI_TRY(MPI_Recv(data, m.count, m.type, peer, TAG_WHOLE, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    return message_end(&m);
}

int comm_gather(const struct comm *c, const void *mine, void *all, const size_t *bytes)
{
    if (c->rank != 0) return send_all(mine, bytes[c->rank], 0);
    size_t at = 0;
    for (int r = 0; r < c->size; r++) {
        if (r > 0) SF_TRY(recv_all((char *)all + at, bytes[r], r));
        else if (mine != all) memcpy(all, mine, bytes[0]);
        at += bytes[r];
    }
    return SF_OK;
}

int comm_scatter(const struct comm *c, const void *all, void *mine, const size_t *bytes)
{
    if (c->rank != 0) return recv_all(mine, bytes[c->rank], 0);
    size_t at = 0;
    for (int r = 0; r < c->size; r++) {
        if (r > 0) SF_TRY(send_all((const char *)all + at, bytes[r], r));
        else if (mine != all) memcpy(mine, all, bytes[0]);
        at += bytes[r];
    }
    return SF_OK;
}

int comm_allgather(const struct comm *c, const void *mine, void *all, const size_t *bytes)
{
    size_t total = 0;
    for (int r = 0; r < c->size; r++) total += bytes[r];
    SF_TRY(comm_gather(c, mine, all, bytes));
    return comm_bcast(c, all, total);
}

int comm_barrier(const struct comm *c)
{
    if (!comm_is_alone(c)) MPI_TRY(MPI_Barrier(MPI_COMM_WORLD));
    return SF_OK;
}

_Static_assert(sizeof(MPI_Request) <= sizeof(((struct comm_request *)0)->handle),
               "a request holds the library's handle");

static MPI_Request handle_of(const struct comm_request *r)
{
    MPI_Request handle;
    memcpy(&handle, r->handle, sizeof handle);
    return handle;
}

static void handle_keep(struct comm_request *r, MPI_Request handle, int is_begun)
{
    memcpy(r->handle, &handle, sizeof handle);
    r->is_begun = is_begun;
}

int comm_isend(const void *data, size_t bytes, int peer, int tag, struct comm_request *r)
{
    MPI_Request handle;
    struct message m;
    SF_TRY(message_begin(bytes, &m));
    MPI_TRY(MPI_Isend(data, m.count, m.type, peer, TAG_POSTED + tag, MPI_COMM_WORLD, &handle));
    handle_keep(r, handle, 1);
    return message_end(&m);
}

int comm_irecv(void *data, size_t bytes, int peer, int tag, struct comm_request *r)
{
    MPI_Request handle;
    struct message m;
    SF_TRY(message_begin(bytes, &m));
    MPI_TRY(MPI_Irecv(data, m.count, m.type, peer, TAG_POSTED + tag, MPI_COMM_WORLD, &handle));
    handle_keep(r, handle, 1);
    return message_end(&m);
}

int comm_wait(struct comm_request *r)
{
    if (!r->is_begun) return SF_OK;
    MPI_Request handle = handle_of(r);
    MPI_TRY(MPI_Wait(&handle, MPI_STATUS_IGNORE));
    handle_keep(r, handle, 0);
    return SF_OK;
}

int comm_progress(struct comm_request *r, int n)
{
    for (int i = 0; i < n; i++) {
        int done = 0;
        if (r[i].is_begun) MPI_TRY(MPI_Request_get_status(handle_of(&r[i]), &done, MPI_STATUS_IGNORE));
    }
    return SF_OK;
}

#else

int comm_begin(int *argc, char ***argv, struct comm *c)
{
    (void)argc, (void)argv;
    *c = (struct comm){.rank = 0, .size = 1};
    return SF_OK;
}
void comm_end(void) {}
void comm_abort(int code) { exit(code); }
const char *comm_version(void) { return "none"; }
int comm_local(const struct comm *c) { return c->imagined ? c->rank % c->imagined : 0; }
int comm_locals(const struct comm *c) { return c->imagined ? c->imagined : 1; }
int comm_bcast(const struct comm *c, void *data, size_t bytes) { return (void)c, (void)data, (void)bytes, SF_OK; }
int comm_max(const struct comm *c, int *value) { return (void)c, (void)value, SF_OK; }
int comm_max_double(const struct comm *c, double *value) { return (void)c, (void)value, SF_OK; }

int comm_gather(const struct comm *c, const void *mine, void *all, const size_t *bytes)
{
    (void)c;
    if (mine != all) memcpy(all, mine, bytes[0]);
    return SF_OK;
}
int comm_scatter(const struct comm *c, const void *all, void *mine, const size_t *bytes)
{
    return comm_gather(c, all, mine, bytes);
}
int comm_allgather(const struct comm *c, const void *mine, void *all, const size_t *bytes)
{
    return comm_gather(c, mine, all, bytes);
}
int comm_barrier(const struct comm *c) { return (void)c, SF_OK; }

int comm_isend(const void *data, size_t bytes, int peer, int tag, struct comm_request *r)
{
    (void)data, (void)bytes, (void)tag, (void)r;
    return sf_fail(SF_INTERNAL, __FILE__, __LINE__, "a message to rank %d in a build without MPI", peer);
}
int comm_irecv(void *data, size_t bytes, int peer, int tag, struct comm_request *r)
{
    return comm_isend(data, bytes, peer, tag, r);
}
int comm_wait(struct comm_request *r) { return (void)r, SF_OK; }
int comm_progress(struct comm_request *r, int n) { return (void)r, (void)n, SF_OK; }
#endif
