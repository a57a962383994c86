/* netCDF's inquiries, printed. SPDX-License-Identifier: MIT */
#include "io/header.h"

#include "io/nc.h"
#include "pipeline/error.h"

#include <netcdf.h>
#include <stdlib.h>
#include <string.h>

#define READ_TRY(path, call)                                                                                           \
    do {                                                                                                               \
        LIBRARY_DEMAND();                                                                                              \
        const int nc_rc_ = (call);                                                                                     \
        SF_CHECK(nc_rc_ == NC_NOERR, SF_INPUT, "cannot read '%s': %s", path, nc_strerror(nc_rc_));                     \
    } while (0)

static const char *type_name(nc_type t)
{
    static const char *const name[] = {"?",     "byte",   "char", "short", "int",    "float", "double",
                                       "ubyte", "ushort", "uint", "int64", "uint64", "string"};
    return t >= 0 && (size_t)t < sizeof name / sizeof name[0] ? name[t] : name[0];
}

/* As in CDL: what would end the string is marked. */
static void text_print(FILE *to, const char *text, size_t n)
{
    fputc('"', to);
    for (size_t m = 0; m < n && text[m]; m++) {
        if (text[m] == '\n') fputs("\\n", to);
        else if (text[m] == '"' || text[m] == '\\') fprintf(to, "\\%c", text[m]);
        else fputc(text[m], to);
    }
    fputc('"', to);
}

static int numbers_print(FILE *to, const char *path, int id, int var, const char *name, size_t n)
{
    double *const value = malloc((n + 1) * sizeof *value);
    SF_CHECK(value, SF_MEMORY, "no memory for an attribute of '%s'", path);
    const int bad = nc_get_att_double(id, var, name, value);
    for (size_t m = 0; m < n && !bad; m++) fprintf(to, "%s%.15g", m ? ", " : "", value[m]);
    free(value);
    READ_TRY(path, bad);
    return SF_OK;
}

static int texts_print(FILE *to, const char *path, int id, int var, const char *name, nc_type type, size_t n)
{
    if (type == NC_CHAR) {
        char *const text = calloc(n + 1, 1);
        SF_CHECK(text, SF_MEMORY, "no memory for an attribute of '%s'", path);
        const int bad = nc_get_att_text(id, var, name, text);
        if (!bad) text_print(to, text, n);
        free(text);
        READ_TRY(path, bad);
        return SF_OK;
    }
    char **const text = calloc(n + 1, sizeof *text);
    SF_CHECK(text, SF_MEMORY, "no memory for an attribute of '%s'", path);
    const int bad = nc_get_att_string(id, var, name, text);
    for (size_t m = 0; m < n && !bad; m++) {
        if (m) fputs(", ", to);
        text_print(to, text[m] ? text[m] : "", text[m] ? strlen(text[m]) : 0);
    }
    if (!bad) nc_free_string(n, text);
    free(text);
    READ_TRY(path, bad);
    return SF_OK;
}

static int attributes_print(FILE *to, const char *path, int id, int var, int n, const char *of)
{
    for (int a = 0; a < n; a++) {
        char name[NC_MAX_NAME + 1];
        nc_type type;
        size_t length;
        READ_TRY(path, nc_inq_attname(id, var, a, name));
        READ_TRY(path, nc_inq_att(id, var, name, &type, &length));
        if (var == NC_GLOBAL && !strcmp(name, "namelist")) continue;
        fprintf(to, "\t\t%s:%s = ", of, name);
        SF_TRY(type == NC_CHAR || type == NC_STRING ? texts_print(to, path, id, var, name, type, length)
                                                    : numbers_print(to, path, id, var, name, length));
        fputs(" ;\n", to);
    }
    return SF_OK;
}

static int variable_print(FILE *to, const char *path, int id, int var)
{
    char name[NC_MAX_NAME + 1], dim[NC_MAX_NAME + 1];
    nc_type type;
    int dims[NC_MAX_VAR_DIMS], ndims, n;
    READ_TRY(path, nc_inq_var(id, var, name, &type, &ndims, dims, &n));
    fprintf(to, "\t%s %s", type_name(type), name);
    for (int d = 0; d < ndims; d++) {
        READ_TRY(path, nc_inq_dimname(id, dims[d], dim));
        fprintf(to, "%s%s", d ? ", " : "(", dim);
    }
    fprintf(to, "%s ;\n", ndims ? ")" : "");
    return attributes_print(to, path, id, var, n, name);
}

static int whole_print(FILE *to, const char *path, int id)
{
    int dims, vars, attributes, unlimited;
    READ_TRY(path, nc_inq(id, &dims, &vars, &attributes, &unlimited));
    fputs("dimensions:\n", to);
    for (int d = 0; d < dims; d++) {
        char name[NC_MAX_NAME + 1];
        size_t n;
        READ_TRY(path, nc_inq_dim(id, d, name, &n));
        if (d == unlimited) fprintf(to, "\t%s = UNLIMITED ; // (%zu currently)\n", name, n);
        else fprintf(to, "\t%s = %zu ;\n", name, n);
    }
    fputs("variables:\n", to);
    for (int v = 0; v < vars; v++) SF_TRY(variable_print(to, path, id, v));
    fputs("// global attributes:\n", to);
    return attributes_print(to, path, id, NC_GLOBAL, attributes, "");
}

int header_print(FILE *to, const char *path)
{
    LIBRARY_HELD;
    int id;
    ncfile_quiet();
    READ_TRY(path, nc_open(path, NC_NOWRITE, &id));
    const int rc = whole_print(to, path, id);
    nc_close(id);
    return rc;
}

/* ---- series ------------------------------------------------------------------------------------------------------ */

struct column {
    char name[NC_MAX_NAME + 1];
    double *value;
};

static int columns_read(const char *path, int id, int dim, size_t first, size_t n, struct column *column, int *ncolumns)
{
    int vars;
    READ_TRY(path, nc_inq_nvars(id, &vars));
    for (int v = 0; v < vars; v++) {
        int ndims, dims[NC_MAX_VAR_DIMS];
        nc_type type;
        struct column *const c = &column[*ncolumns];
        READ_TRY(path, nc_inq_var(id, v, c->name, &type, &ndims, dims, NULL));
        if (ndims != 1 || dims[0] != dim || type == NC_CHAR || type == NC_STRING) continue;
        c->value = malloc((n + 1) * sizeof *c->value);
        SF_CHECK(c->value, SF_MEMORY, "no memory for the last values of '%s'", path);
        ++*ncolumns;
        if (n) READ_TRY(path, nc_get_vara_double(id, v, &first, &n, c->value));
    }
    return SF_OK;
}

static int series_print(FILE *to, const char *path, int id, size_t rows)
{
    int dim, vars, ncolumns = 0;
    size_t all;
    READ_TRY(path, nc_inq_dimid(id, "time", &dim));
    READ_TRY(path, nc_inq_dimlen(id, dim, &all));
    READ_TRY(path, nc_inq_nvars(id, &vars));
    struct column *const column = calloc((size_t)vars + 1, sizeof *column);
    SF_CHECK(column, SF_MEMORY, "no memory for the last values of '%s'", path);
    const size_t n = all < rows ? all : rows;
    const int rc = columns_read(path, id, dim, all - n, n, column, &ncolumns);
    for (int c = 0; c < ncolumns && !rc; c++) fprintf(to, "%s%s", c ? "," : "", column[c].name);
    fputc('\n', to);
    for (size_t m = 0; m < n && !rc; m++, fputc('\n', to))
        for (int c = 0; c < ncolumns; c++) fprintf(to, "%s%.17g", c ? "," : "", column[c].value[m]);
    for (int c = 0; c < ncolumns; c++) free(column[c].value);
    free(column);
    return rc;
}

int header_series_print(FILE *to, const char *path, size_t rows)
{
    LIBRARY_HELD;
    int id;
    ncfile_quiet();
    READ_TRY(path, nc_open(path, NC_NOWRITE, &id));
    const int rc = series_print(to, path, id, rows);
    nc_close(id);
    return rc;
}

void header_attribute(const char *path, const char *name, char *text, size_t size)
{
    LIBRARY_HELD;
    int id;
    size_t n;
    nc_type type;
    text[0] = '\0';
    ncfile_quiet();
    if (nc_open(path, NC_NOWRITE, &id)) return;
    if (!nc_inq_att(id, NC_GLOBAL, name, &type, &n) && type == NC_CHAR && n < size &&
        !nc_get_att_text(id, NC_GLOBAL, name, text))
        text[n] = '\0';
    else text[0] = '\0';
    nc_close(id);
}
