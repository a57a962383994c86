/* Stages of elements, as a description has them: what their lists touch, rows and packs that follow, and what is told
 * of mistakes. SPDX-License-Identifier: MIT */
#include "support_describe.h"

static int times(const char *text, const char *word)
{
    int n = 0;
    for (const char *c = text; (c = strstr(c, word)); c++) n++;
    return n;
}

static const char lists[] =
    "numbers s {\n}\nmedia m id M\nmedia n id N\ntable t \"t\" by \"w\"\nfield u id U\nfield v id V\n"
    "layer z id A \"a\" B \"b\" { q }\nscratch mid_u id MU between u\nscratch mid_v id MV between v\n"
    "field u_im id UI imaginary u\nfield v_im id VI imaginary v\nlayer z imaginary id C \"c\" D \"d\" { q }\n"
    "point half id S_HALF imaginary gpu half_tiles {\n    u = t(m) * u + v\n    layer z {\n        q = q + u\n    }\n}\n"
    "elements one id S_ONE extend pack both within one_changes sides SIDES between imaginary {\n    changes f {u}\n"
    "    reads far {v[-1, 0, 2]}\n    reads ids {m}\n    sums F_S\n}\n"
    "elements two id S_TWO pack both {\n    changes f {v}\n    reads far {u}\n    reads ids {n}\n    sums F_S\n}\n"
    "elements three id S_THREE imaginary {\n    reads all {u, v[3, -2, 0]}\n}\n";

/* A pack has what is listed, in its order, and pointers to write at of what changes alone; rows and packs of variants
 * name other fields, but media. */
Test(describe_elements, elements_are_handed_what_their_lists_have)
{
    struct description d;
    settle(&d, lists);
    cr_assert_null(d.errors, "%s", d.errors);
    static const struct printed part[] = {
        {describe_print_fields, "SHELL(C, \"c\")\nSHELL(D, \"d\")\n"},
        {describe_print_table,
         "ELEMENTS(S_ONE, \"one\", SF_STAGE(one_run), one_changes, 1, SIDES, 0,\n     UPDATE(U, 1)\n"
         "     READ(V, 1, 1, 0, 0, 2, 0, 0)\n     READ(M, 1, 0, 0, 0, 0, 0, 0)\n     SUMS(F_S))\n"},
        {describe_print_table, "ELEMENTS(S_TWO, \"two\", SF_STAGE(two_run), NULL, 0, 0, 0,\n"},
        {describe_print_table, "ELEMENTS(S_THREE, \"three\", SF_STAGE(three_run), NULL, 0, 0, 0,\n"
                               "     READ(U, 1, 0, 0, 0, 0, 0, 0)\n     READ(V, 1, 0, 3, 0, 0, 2, 0))\n"},
        {describe_print_table, "ELEMENTS(S_ONE_RIM, \"one_rim\", SF_STAGE_GPU(one_rim_run), one_changes, 1, SIDES, 0,\n"
                               "     UPDATE(MU, 1)\n     READ(MV, 1, 1, 0, 0, 2, 0, 0)\n     READ(M, 1,"},
        {describe_print_table, "ELEMENTS(S_ONE_IM, \"one_im\", SF_STAGE(one_im_run), one_changes, 1, SIDES, 0,\n"
                               "     UPDATE(UI, 1)\n     READ(VI, 1, 1, 0, 0, 2, 0, 0)\n     READ(M, 1,"},
        {describe_print_table,
         "MADE(S_HALF_IM, \"half_im\", half_im_run, half_im_run_gpu, MADE_POINT, 0, 0, 2,\n"
         "     READ(M, 0, 0, 0, 0, 0, 0, 0)\n     UPDATE(UI, 0)\n     READ(VI, 0, 0, 0, 0, 0, 0, 0)\n"
         "     UPDATE(C, 0)\n     UPDATE(D, 0))\nELEMENTS"},
        {describe_print_packs,
         "stage_function one_run;\nstage_launch one_run_gpu;\nstruct both_pack {\n    real *f[1];\n"
         "    const real *far[1];\n    const void *ids[1];\n    real *sums;\n    ptrdiff_t sj, sk;\n"
         "    int j0, imaginary;\n};\n"
         "void one_elements(const struct both_pack *p, struct box b, const struct call *c);\n"
         "void one_elements_gpu(const struct both_pack *p, struct box b, const struct call *c, void "
         "*stream);\nstage_function two_run;\nstage_launch two_run_gpu;\nvoid two_elements(const struct "
         "both_pack *p,"},
        {describe_print_packs, "struct three_pack {\n    const real *all[2];\n    ptrdiff_t sj, sk;\n"},
        {describe_print_packs,
         "stage_launch one_rim_run_gpu;\nstage_function half_im_run;\nstage_launch half_im_run_gpu;\n"
         "stage_function one_im_run;\n"},
        {describe_print_code,
         "struct both_pack one_pack(const struct slab *s)\n{\n    struct both_pack p;\n    p.f[0] = s->w[U];\n"
         "    p.far[0] = s->f[V];\n    p.ids[0] = s->f[M];\n    p.sums = s->w[F_S];\n"
         "    p.sj = s->sj, p.sk = s->sk, p.j0 = s->j0, p.imaginary = 0;\n    return p;\n}\n"
         "SF_MADE_HANDED(one, both_pack, one_elements, one_elements_gpu)\n"},
        {describe_print_code, "    p.f[0] = s->w[V];\n    p.far[0] = s->f[U];\n    p.ids[0] = s->f[N];\n"},
        {describe_print_code, "    p.all[0] = s->f[U];\n    p.all[1] = s->f[V];\n    p.sj"},
        {describe_print_code,
         "    p.f[0] = s->w[MU];\n    p.far[0] = s->f[MV];\n    p.ids[0] = s->f[M];\n    p.sums = s->w[F_S];\n"
         "    p.sj = s->sj, p.sk = s->sk, p.j0 = s->j0, p.imaginary = 0;\n    return p;\n}\n#ifdef __cplusplus\n"
         "SF_MADE_HANDED(one_rim, both_pack, one_elements, one_elements_gpu)\n#endif\n"},
        {describe_print_code,
         "    p.f[0] = s->w[UI];\n    p.far[0] = s->f[VI];\n    p.ids[0] = s->f[M];\n    p.sums = s->w[F_S];\n"
         "    p.sj = s->sj, p.sk = s->sk, p.j0 = s->j0, p.imaginary = 1;\n    return p;\n}\n"
         "SF_MADE_HANDED(one_im, both_pack, one_elements, one_elements_gpu)\n"},
        {describe_print_code,
         "struct slab half_im_pack(const struct slab *s)\n{\n    struct slab v = *s;\n"
         "    v.f[U] = s->f[UI], v.w[U] = s->w[UI];\n    v.f[V] = s->f[VI], v.w[V] = s->w[VI];\n"
         "    v.f[A] = s->f[C], v.w[A] = s->w[C];\n    v.f[B] = s->f[D], v.w[B] = s->w[D];\n    return v;\n}\n"
         "SF_MADE_HANDED(half_im, slab, half_run, half_tiles)\n"},
    };
    expect_printed(&d, part, sizeof part / sizeof part[0]);
    char *const packs = printed_of(&d, describe_print_packs);
    cr_assert_eq(times(packs, "struct both_pack {"), 1);
    cr_assert(!times(packs, "one_rim_run;") && !times(packs, "one_im_elements"));
    free(packs);
    describe_free(&d);
}

/* All of it is one mistake. */
Test(describe_elements, elements_are_none_of_a_users_model)
{
    struct description d;
    settle(
        &d,
        "model m\nfield u\npoint o {\n    u = 1\n}\nelements p \"of mine\" {\n    reads f {u}\n    sums F\n}\nstep {\n    o\n}\n");
    cr_assert_str_eq(d.errors,
                     "m.sf:6:1: elements are for C functions of the program's own: write a point or a column\n"
                     "  elements p \"of mine\" {\n  ^\n");
    describe_free(&d);
}

Test(describe_elements, a_list_has_room_for_so_many_fields)
{
    for (int fields = 40; fields <= 41; fields++) {
        char text[4096];
        size_t n = (size_t)snprintf(text, sizeof text, "numbers s {\n}\n");
        for (int k = 0; k < fields; k++) n += (size_t)snprintf(text + n, sizeof text - n, "field f%d id F%d\n", k, k);
        n += (size_t)snprintf(text + n, sizeof text - n, "elements p id P {\n    reads all {f0");
        for (int k = 1; k < fields; k++) n += (size_t)snprintf(text + n, sizeof text - n, ", f%d", k);
        snprintf(text + n, sizeof text - n, "}\n}\n");
        expect_told(text, fields == 40 ? NULL : "at most 40 fields");
    }
}

/* ---- mistakes ---- */

static const struct mistake mistakes[] = {
    {PARTS "elements p id P {\n    reads f {v}\n}", "8:14", "there is no v"},
    {PARTS "elements p id P {\n    reads f {u}\n    changes g {u}\n}", "9:16", "u is in a list already"},
    {PARTS "static k\nelements p id P {\n    changes f {k}\n}", "9:16", "k is static"},
    {PARTS "elements p id P {\n    changes f {m}\n}", "8:16", "m is static"},
    {PARTS "elements p id P {\n    reads f {u, m}\n}", "8:17", "lists of their own"},
    {PARTS "elements p id P {\n    reads f {q}\n}", "8:14", "three dimensions, or of media"},
    {PARTS "levels a\nelements p id P {\n    reads f {a}\n}", "9:14", "three dimensions, or of media"},
    {PARTS "each a id A\nelements p id P {\n    reads f {a}\n}", "9:14", "three dimensions, or of media"},
    {PARTS "elements p id P {\n    reads f {t}\n}", "8:14", "three dimensions, or of media"},
    {PARTS "elements p id P {\n    reads f {2 * u}\n}", "8:16", "three dimensions, or of media"},
    {PARTS "elements p id P {\n    reads f {old u}\n}", "8:14", "three dimensions, or of media"},
    {PARTS "elements p id P {\n    reads f {u[0 .. 1, 0, 0]}\n}", "8:14", "three dimensions, or of media"},
    {PARTS "elements p id P {\n    changes f {u[1, 0, 0]}\n}", "8:16", "takes three distances"},
    {PARTS "elements p id P {\n    reads f {m[1, 0, 0]}\n}", "8:14", "takes three distances"},
    {PARTS "elements p id P {\n    reads f {u[1]}\n}", "8:14", "takes three distances"},
    {PARTS "elements p id P {\n    u = 1\n}", "8:5", "'reads' is missing"},
    {PARTS "elements p id P {\n    layer z\n}", "8:5", "'reads' is missing"},
    {PARTS "elements p id P {\n    reads f u\n}", "8:13", "the names of fields are missing"},
    {PARTS "elements p id P {\n    reads f {}\n}", "8:15", "the names of fields are missing"},
    {PARTS "elements p id P {\n    sums 3\n}", "8:10", "the id of the first field of sums"},
    {PARTS "elements p id P {\n}", "7:10", "names no field"},
    {PARTS "elements p id P gpu k {\n    reads f {u}\n}", "7:17", "'{' is missing"},
    {PARTS "elements p id P pack a {\n    reads f {u}\n}\nelements o id O pack a {\n    changes f {u}\n}", "10:10",
     "the lists of p and o"},
    {PARTS "elements p id P pack a {\n    reads f {u}\n}\nelements o id O pack a {\n    reads g {u}\n}", "10:10",
     "share a pack"},
    {PARTS "field w\nelements p id P pack a {\n    reads f {u}\n}\nelements o id O pack a {\n    reads f {u, w}\n}",
     "11:10", "share a pack"},
    {PARTS "elements p id P pack a {\n    reads f {u}\n}\nelements o id O pack a {\n    reads f {m}\n}", "10:10",
     "share a pack"},
    {PARTS "elements p id P pack a {\n    reads f {u}\n}\nelements o id O pack a {\n    reads f {u}\n    sums F\n}",
     "10:10", "share a pack"},
    {PARTS
     "elements p id P pack a {\n    reads f {u}\n}\nelements o id O pack a {\n    reads f {u}\n    reads g {m}\n}",
     "10:10", "share a pack"},
    {PARTS "elements p {\n    reads f {u}\n}", "7:10", "p has no id"},
    {PARTS "field v\nelements p id P {\n    reads f {u}\n    reads f {v}\n}", "10:11", "there is a list f already"},
    {PARTS "field v\nelements p id P {\n    reads f {u}\n    reads g {m}\n    changes f {v}\n}", "11:13",
     "there is a list f already"},
    {PARTS "elements p id P {\n    reads sj {u}\n}", "8:11", "has a member sj of its own"},
    {PARTS "elements p id P {\n    reads sk {u}\n}", "8:11", "has a member sk of its own"},
    {PARTS "elements p id P {\n    changes j0 {u}\n}", "8:13", "has a member j0 of its own"},
    {PARTS "elements p id P {\n    reads imaginary {u}\n}", "8:11", "has a member imaginary of its own"},
    {PARTS "elements p id P {\n    reads sums {u}\n}", "8:11", "has a member sums of its own"},
    {PARTS "elements p id P {\n    sums A\n    reads f {u}\n    sums B\n}", "10:5", "has sums already"},
    {PARTS "field w id W imaginary nobody", "7:7", "there is no field nobody"},
    {PARTS "field w id W imaginary r", "7:7", "there is no field r"},
    {PARTS "field w id W imaginary w", "7:7", "its shape and place"},
    {PARTS "field w id W on x imaginary u", "7:7", "its shape and place"},
    {PARTS "field w id W on x\nfield v id V on y between w", "8:7", "its shape and place"},
    {PARTS "map w id W imaginary u", "7:5", "its shape and place"},
    {PARTS "each w id W imaginary u", "7:6", "its shape and place"},
    {PARTS "layer x id C \"c\" D \"d\" { p }\nmedia w id W imaginary p", "8:7", "its shape and place"},
    {PARTS "layer x id C \"c\" D \"d\" { p }\nlayer z imaginary id E \"e\" F \"f\" { p }", "8:36",
     "its shape and place"},
    {PARTS "layer z imaginary id E \"e\" F \"f\" { nobody }", "7:36", "there is no field nobody"},
    {PARTS "field w id W imaginary u\nfield v id V imaginary u", "8:7", "w is `imaginary u` already"},
    {PARTS "scratch w id W between u\nscratch v id V between u", "8:9", "w is `between u` already"},
    {PARTS "elements p id P between {\n    reads f {u}\n}", "7:10", "no field is there for u in p_rim: `between u`"},
    {PARTS "elements p id P imaginary {\n    reads f {u}\n}", "7:10", "no field is there for u in p_im: `imaginary u`"},
    {PARTS "point p imaginary {\n    u = 2 * u\n}", "7:7", "no field is there for u in p_im"},
    {PARTS "elements p id P {\n    reads f {u}\n}\nsweep s = p", "10:7", "no stage of points above"},
};

Test(describe_elements, mistakes_are_told_where_they_stand)
{
    expect_mistakes(mistakes, sizeof mistakes / sizeof mistakes[0], 1);
}

/* Whatever is cut off of it, or comes twice. */
Test(describe_elements, spoilt_lists_crash_nothing)
{
    char text[2 * sizeof lists];
    const size_t n = strlen(lists);
    for (size_t from = 0; from < n; from++)
        for (int twice = 0; twice < 2; twice++) {
            const size_t gone = SF_MIN((size_t)(1 + from % 7), n - from);
            struct description d;
            memcpy(text, lists, from);
            strcpy(text + from, lists + (twice ? from - SF_MIN(from, gone) : from + gone));
            settle(&d, text);
            if (!d.nerrors) free(printed_of(&d, describe_print_packs));
            describe_free(&d);
        }
}
