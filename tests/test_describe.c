/* Descriptions of models: what is read of them, what a stage touches, what is told of mistakes; texts that chance has
 * spoilt. SPDX-License-Identifier: MIT */
#include "stages/described.h"
#include "support_describe.h"

#include <stdint.h>

static const struct touch *touch_of(const struct description *d, int stage, const char *field)
{
    const struct described *const s = &d->stage[stage];
    for (int n = 0; n < s->ntouches; n++)
        if (!strcmp(s->touch[n].field->name, field)) return &s->touch[n];
    cr_assert_fail("stage %s does not touch %s", s->name, field);
    return NULL;
}

/* ---- what is read ---- */

static const char model[] = "model toy \"a toy\"\n"
                            "parameter kappa = 2.5 \"m2 s-1\" \"diffusivity\" 0 .. 10\n"
                            "number r = kappa / dx^2 # each of its own line\n"
                            "field u \"first\" \"K\" = sin(pi * x)\n"
                            "field v \"second\" \"m s-1\" \"x_wind\" on x odd y\n"
                            "scratch s \"between\"\n"
                            "levels a \"a profile\" = z\n"
                            "map h \"a map\" = x * y\n"
                            "function left(q) = q - q[-1, 0, 0]\n"
                            "function twice(q, c) = c * left(q[0, 2, -1])\n"
                            "point one \"the first\" {\n"
                            "    rate = r * dt\n"
                            "    s = rate * twice(u, a[1]) + h[0, -3]\n"
                            "}\n"
                            "point two {\n"
                            "    new u = u + s[4, 0, 0]\n"
                            "    v += s\n"
                            "}\n"
                            "point three {\n"
                            "    u = old u + (v > 0 ? 1 : -2)\n"
                            "}\n"
                            "step {\n"
                            "    one\n"
                            "    two * 1 / 4\n"
                            "    three\n"
                            "}\n"
                            "limit \"diffusion\" = 0.5 / r\n";

Test(describe, a_model_is_read_as_it_stands)
{
    struct description d;
    settle(&d, model);
    cr_assert_null(d.errors, "%s", d.errors);
    cr_assert_str_eq(d.name, "toy");
    cr_assert_eq(d.nfields, 5);
    const struct symbol *const kappa = describe_find(&d, "kappa"), *const v = describe_find(&d, "v");
    cr_assert(kappa->kind == SYMBOL_PARAMETER && kappa->initial == 2.5 && kappa->min == 0 && kappa->max == 10);
    cr_assert_str_eq(kappa->unit, "m2 s-1");
    cr_assert(v->field.stagger == STAG_X && v->odd == STAG_Y);
    cr_assert_str_eq(v->standard_name, "x_wind");
    cr_assert_eq(describe_find(&d, "u")->field.banks, 2);
    cr_assert_eq(describe_find(&d, "v")->field.banks, 1);
    cr_assert_eq(describe_find(&d, "s")->field.role, ROLE_SCRATCH);
    cr_assert(d.nops == 3 && d.op[1].factor == 0.25 && d.op[2].number == 2);
    cr_assert(d.stage[0].line[0].is_uniform && !d.stage[0].line[1].is_uniform);
    describe_free(&d);
}

Test(describe, reaches_and_modes_follow_from_use)
{
    struct description d;
    settle(&d, model);
    const struct touch *const u = touch_of(&d, 0, "u"), *const a = touch_of(&d, 0, "a"),
                              *const h = touch_of(&d, 0, "h");
    const struct reach left = {1, 0, 1, 0, 0, 2}, up = {0, 0, 0, 1, 0, 0}, south = {0, 0, 0, 0, 3, 0},
                       east = {0, 4, 0, 0, 0, 0};
    cr_assert(!memcmp(&u->reach, &left, sizeof left) && u->reads && !u->writes);
    cr_assert(!memcmp(&a->reach, &up, sizeof up));
    cr_assert(!memcmp(&h->reach, &south, sizeof south));
    cr_assert(touch_of(&d, 0, "s")->writes && !touch_of(&d, 0, "s")->reads);
    cr_assert(!memcmp(&touch_of(&d, 1, "s")->reach, &east, sizeof east));
    cr_assert(touch_of(&d, 1, "u")->is_new && touch_of(&d, 1, "u")->reads && !touch_of(&d, 1, "u")->is_old);
    cr_assert(touch_of(&d, 1, "v")->reads && touch_of(&d, 1, "v")->writes && !touch_of(&d, 1, "v")->is_new);
    cr_assert(touch_of(&d, 2, "u")->is_old && touch_of(&d, 2, "u")->writes && !touch_of(&d, 2, "u")->is_new);
    /* its product, c, a difference, the sum with h; r dt is one number for all points */
    cr_assert_eq(d.stage[0].flops, 4);
    cr_assert_eq(d.stage[2].flops, 1); /* a sum: a comparison, a choice and a sign are no arithmetic */
    describe_free(&d);
}

/* A stage like another reads one field for another, within functions too, and the bank that it is told. */
Test(describe, a_stage_like_another_reads_a_field_for_another)
{
    struct description d;
    settle(&d, "numbers toy { r }\n"
               "field u id F_U\nfield v id F_V\nfield w id F_W\n"
               "function left(q) = q - v[-1, 0, 0]\n"
               "point p \"p\" id S_P {\n    u = left(u) + v\n}\n"
               "point q \"q\" like p with w for v id S_Q\n"
               "point n \"n\" like p new u with w for v id S_N\n");
    cr_assert(!d.errors, "%s", d.errors);
    const struct touch *const v = touch_of(&d, 0, "v");
    for (int n = 1; n < 3; n++) {
        const struct touch *const w = touch_of(&d, n, "w"), *const u = touch_of(&d, n, "u");
        cr_assert(!memcmp(&w->reach, &v->reach, sizeof w->reach) && w->reads && !w->writes);
        cr_assert(u->writes && u->is_new == (n == 2));
        for (int t = 0; t < d.stage[n].ntouches; t++) cr_assert(strcmp(d.stage[n].touch[t].field->name, "v") != 0);
    }
    for (int t = 0; t < d.stage[0].ntouches; t++) cr_assert(strcmp(d.stage[0].touch[t].field->name, "w") != 0);
    describe_free(&d);
}

/* A profile gives way to a field, a map or what a function makes, each as far away; a function to another, whose own
 * lines stand as they are; lists of such, and what does not give way. */
Test(describe, a_stage_like_another_has_others_for_levels_and_functions)
{
    struct description d;
    settle(&d, "numbers toy { r }\nuse \"toy.h\" three\n"
               "field u id F_U\nstatic b id F_B\nstatic c id F_C\nmap m id F_M\nlevels a id P_A\nlevels e id P_E\n"
               "function f(x) = x * a[2]\nfunction g(x) = x * a[3]\n"
               "function s() = b[1, 0, 0] * a * m[0, 1] * r\n"
               "point p \"p\" id S_P {\n    u = f(c) + a[-1] + e[1] + three(a[0 .. 1])\n}\n"
               "point q \"q\" like p with list, b for e id S_Q\n"
               "point t \"t\" like p with m for e, e for c id S_T\n"
               "swap list {\n    g for f\n    b for a\n}\n"
               "point w \"w\" id S_W {\n    u = a[-2] + a[1]\n}\n"
               "point z \"z\" like w with s for a id S_Z\n");
    cr_assert(!d.errors, "%s", d.errors);
    const struct reach b = {0, 0, 1, 1, 0, 0}, a = {0, 0, 0, 3, 0, 0}, e = {0, 0, 0, 1, 0, 0}, none = {0},
                       far = {0, 1, 2, 1, 0, 0}, both = {0, 0, 2, 1, 0, 0}, north = {0, 0, 0, 0, 0, 1};
    cr_assert(!memcmp(&touch_of(&d, 1, "b")->reach, &b, sizeof b));
    cr_assert(!memcmp(&touch_of(&d, 1, "a")->reach, &a, sizeof a));
    cr_assert(!memcmp(&touch_of(&d, 2, "m")->reach, &none, sizeof none));
    cr_assert(!memcmp(&touch_of(&d, 0, "e")->reach, &e, sizeof e));
    cr_assert(!memcmp(&touch_of(&d, 2, "e")->reach, &none, sizeof none));
    cr_assert(!memcmp(&touch_of(&d, 4, "b")->reach, &far, sizeof far));
    cr_assert(!memcmp(&touch_of(&d, 4, "a")->reach, &both, sizeof both));
    cr_assert(!memcmp(&touch_of(&d, 4, "m")->reach, &north, sizeof north));
    describe_free(&d);
}

static const char formed[] = "numbers toy { r }\n"
                             "use \"toy.h\" mixed\n"
                             "form kind {\n    SMOOTH\n    ROUGH\n}\n"
                             "field u id F_U\nfield v id F_V\nlevels a id P_A\n"
                             "function line(q) : line3 = {q}\n"
                             "function upright(q) = line(q[0, 0, -1 .. 1])\n"
                             "point mix id S_MIX apart {\n"
                             "    high = a[1]\n"
                             "    new u = mixed(kind, upright(u[0, 2, 0]), v[-2 .. 1, 0, 0], high)\n"
                             "    new v = r * u\n"
                             "}\n";

/* A range of points is so many arguments, or values of a structure. */
Test(describe, ranges_are_lists_of_points)
{
    struct description d;
    settle(&d, formed);
    cr_assert_null(d.errors, "%s", d.errors);
    const struct reach u = {0, 0, 1, 1, 0, 2}, v = {2, 1, 0, 0, 0, 0};
    cr_assert(!memcmp(&touch_of(&d, 0, "u")->reach, &u, sizeof u));
    cr_assert(!memcmp(&touch_of(&d, 0, "v")->reach, &v, sizeof v));
    const struct node *const call = d.stage[0].line[1].value, *const make = call->arg[1];
    cr_assert(call->narg == 7 && make->kind == NODE_MAKE && make->narg == 3);
    for (int n = 0; n < 3; n++) cr_assert(make->arg[n]->index[2] == n - 1 && make->arg[n]->index[1] == 2);
    for (int n = 0; n < 4; n++) cr_assert(call->arg[2 + n]->index[0] == n - 2);
    describe_free(&d);
}

/* A stage has loops in each form, one for a result where they are apart, and one kernel of all. */
Test(describe, forms_are_printed_by_their_literals)
{
    struct description d;
    settle(&d, formed);
    char *const code = printed_of(&d, describe_print_code), *const forms = printed_of(&d, describe_print_forms);
    static const char *const wanted[] = {
        "SF_MADE_NEAR_KERNEL_MUCH(mix_in_ROUGH, mix, mix, ROUGH)",
        "SF_MADE_NEAR_KERNEL_MUCH(mix_in_SMOOTH, mix, mix, SMOOTH)",
        ("SF_MADE_LOOPS(mix_in_SMOOTH, mix, SF_MADE_LOOP(mix_u, SMOOTH) "
         "SF_MADE_LOOP(mix_v, SMOOTH))"),
        "switch (((const struct toy *)c->ctx)->kind) {",
        "    case ROUGH:\n        mix_in_ROUGH_part(s, b, c, stream);\n        break;\n"};
    for (size_t n = 0; n < sizeof wanted / sizeof wanted[0]; n++) cr_assert(strstr(code, wanted[n]), "%s", wanted[n]);
    cr_assert_null(strstr(code, "mix_v_in"));
    cr_assert(
        strstr(forms, "#ifdef LITERAL_kind\nLITERAL_kind(SMOOTH)\nLITERAL_kind(ROUGH)\n#undef LITERAL_kind\n#endif\n"));
    free(code), free(forms);
    describe_free(&d);
}

/* Of what layers compute, reaches count as elsewhere; work does not, for few points do it. */
Test(describe, layers_follow_what_all_points_do)
{
    struct description d;
    settle(&d, "numbers s {\n}\nmedia m id M\ntable t \"t\" by \"w\"\nline r along z \"r\"\n"
               "layer z id A \"low\" B \"high\" { q s }\nfield u\nfield v\n"
               "point p {\n    d = v - v[0, 0, -2]\n    u = u + r * t(m) * d\n"
               "    layer z {\n        w = q + d * v[3, 0, 0]\n        q = w\n        u = u + w\n    }\n}\n");
    cr_assert_null(d.errors, "%s", d.errors);
    const struct touch *const u = touch_of(&d, 0, "u"), *const v = touch_of(&d, 0, "v"),
                              *const q = touch_of(&d, 0, "q");
    const struct reach down = {0, 3, 2, 0, 0, 0};
    cr_assert(touch_is_update(u) && touch_is_update(q) && touch_reading(v) == ACCESS_READ);
    cr_assert(!memcmp(&v->reach, &down, sizeof down));
    cr_assert_eq(touch_reading(touch_of(&d, 0, "m")), ACCESS_READ);
    cr_assert_eq(d.stage[0].flops, 4);
    cr_assert(!strcmp(q->field->id, "A") && !strcmp(q->field->id_high, "B") && q->field->axis == 2);
    cr_assert(!strcmp(describe_find(&d, "s")->id, "A + 1") && !describe_find(&d, "s")->face[0]);
    describe_free(&d);
}

/* Two stages at once: the first is made again where the second reads of it, and so reaches further. */
static const char sweeps[] = "numbers s {\n}\nmedia m id M\ntable t \"t\" by \"w\"\nlayer z id A \"a\" B \"b\" { q }\n"
                             "layer x id C \"c\" D \"d\" { o }\nfield u\nfield u2\nfield v\nscratch mid_u between u\n"
                             "point p flops P {\n    u = u + t(m) * v[2, 0, 0]\n    u2 = u2 + v\n"
                             "    layer z {\n        r = q + v\n        q = r\n    }\n}\n"
                             "point e flops E {\n    v = v + u[0, -1, 0] + u2[0, 0, 1]\n"
                             "    layer x {\n        r = o + v\n        o = r\n    }\n}\n"
                             "sweep one = p, e\nsweep two = one, one into between\nsweep rest = one from between\n";

static void expect_touch(const struct description *d, int stage, const char *field, enum access_mode reading,
                         enum access_mode writing, struct reach r)
{
    const struct touch *const t = touch_of(d, stage, field);
    cr_assert(touch_reading(t) == reading && touch_writing(t) == writing, "%s of %s: %d %d", field,
              d->stage[stage].name, touch_reading(t), touch_writing(t));
    cr_assert(reading != ACCESS_READ || !memcmp(&t->reach, &r, sizeof r), "%s of %s: %d %d %d %d %d %d", field,
              d->stage[stage].name, t->reach.im, t->reach.ip, t->reach.km, t->reach.kp, t->reach.jm, t->reach.jp);
}

Test(describe, sweeps_follow_from_their_stages)
{
    struct description d;
    settle(&d, sweeps);
    cr_assert_null(d.errors, "%s", d.errors);
    const struct reach own = {0}, back = {0, 0, 0, 1, 1, 0}, on = {0, 2, 0, 1, 1, 0}, far = {0, 4, 0, 2, 2, 0};
    expect_touch(&d, 2, "u", ACCESS_READ, ACCESS_WRITE, back);
    expect_touch(&d, 2, "u2", ACCESS_READ, ACCESS_WRITE, back);
    expect_touch(&d, 2, "v", ACCESS_READ, ACCESS_WRITE, on);
    expect_touch(&d, 2, "m", ACCESS_READ, ACCESS_END, back);
    expect_touch(&d, 2, "q", ACCESS_READ, ACCESS_WRITE, back);
    expect_touch(&d, 2, "o", ACCESS_UPDATE, ACCESS_END, own);
    cr_assert_str_eq(d.stage[2].flops_name, "P + E");
    expect_touch(&d, 3, "u", ACCESS_READ, ACCESS_WRITE, far);
    expect_touch(&d, 3, "v", ACCESS_READ, ACCESS_WRITE, far);
    expect_touch(&d, 3, "mid_u", ACCESS_END, ACCESS_WRITE, own);
    expect_touch(&d, 3, "m", ACCESS_READ, ACCESS_END, back);
    expect_touch(&d, 3, "q", ACCESS_READ, ACCESS_WRITE, back);
    expect_touch(&d, 3, "o", ACCESS_READ, ACCESS_WRITE, own);
    expect_touch(&d, 4, "mid_u", ACCESS_READ, ACCESS_END, on);
    expect_touch(&d, 4, "u", ACCESS_UPDATE, ACCESS_END, own);
    expect_touch(&d, 4, "o", ACCESS_READ, ACCESS_WRITE, own);
    describe_free(&d);
}

/* A result that a later stage reads further on is made there; one beside it that is read at the point alone is not, nor
 * what that one is made of. */
Test(describe, a_sweep_makes_the_results_that_are_read_beyond)
{
    struct description d;
    settle(&d, "numbers n {\n}\nfield a\nfield b\nfield c\nfield e\nscratch p\nscratch q\nscratch r\nlevels l\n"
               "point one {\n    p = a[0, 0, 1]\n    q = e\n}\n"
               "point two {\n    low = b[0, -1, 0]\n    q = low + l\n    p += c\n}\n"
               "point three {\n    r = q[0, 0, -2] + p\n}\nsweep all = one, two, three\n");
    cr_assert_null(d.errors, "%s", d.errors);
    const struct reach a = {0, 0, 0, 1, 0, 0}, b = {0, 0, 2, 0, 1, 0}, own = {0};
    expect_touch(&d, 3, "a", ACCESS_READ, ACCESS_END, a);
    expect_touch(&d, 3, "b", ACCESS_READ, ACCESS_END, b);
    expect_touch(&d, 3, "c", ACCESS_READ, ACCESS_END, own);
    expect_touch(&d, 3, "e", ACCESS_READ, ACCESS_END, own); /* the second makes q anew */
    expect_touch(&d, 3, "l", ACCESS_READ, ACCESS_END, (struct reach){.km = 2});
    for (const char *const *made = (const char *const[]){"p", "q", "r", NULL}; *made; made++)
        expect_touch(&d, 3, *made, ACCESS_END, ACCESS_WRITE, own);
    cr_assert(d.stage[3].flops == 3 && !d.stage[3].flops_name);
    describe_free(&d);
}

/* ---- all members of a family at once, and values beyond open sides ---- */

#define FAMILY                                                                                                         \
    "numbers n {\n    rate\n}\nfield u id F_U on x\nfield v id F_V on y\neach q id Q_Q \"tracer\"\n"                   \
    "each scratch s id Q_S\nbeyond far u, v\n"

static const char family[] =
    FAMILY "use \"toy.h\" mixed\nform kind {\n    A B\n}\nfunction line(q) : line4 = {far(q[-2 .. 1, 0, 0], outside)}\n"
           "point one id S_ONE flops F cpu one_lines work one_bytes gpu one_tiles {\n"
           "    outside = member < 1 ? 2 : rate\n"
           "    s = mixed(kind, line(q), far(q[0, 1, 0], outside), far(q[0, 0, 2], outside))\n}\n"
           "point two id S_TWO {\n    only where s < 1\n    q = old q[0, 0, 1] + s\n}\n"
           "field b id F_B\n";

Test(describe, families_and_values_beyond_sides)
{
    struct description d;
    settle(&d, family);
    cr_assert_null(d.errors, "%s", d.errors);
    /* the wind through a side as far away as the cells that reach beyond it; a second value inside of the first */
    const struct reach q = {2, 1, 0, 2, 1, 1}, u = {1, 1, 0, 0, 0, 0}, v = {0, 0, 0, 0, 0, 1}, up = {.kp = 1};
    expect_touch(&d, 0, "q", ACCESS_READ, ACCESS_END, q);
    expect_touch(&d, 0, "u", ACCESS_READ, ACCESS_END, u);
    expect_touch(&d, 0, "v", ACCESS_READ, ACCESS_END, v);
    expect_touch(&d, 0, "s", ACCESS_END, ACCESS_WRITE, q);
    expect_touch(&d, 1, "q", ACCESS_READ_OTHER, ACCESS_UPDATE, up);
    cr_assert(!memcmp(&touch_of(&d, 1, "q")->reach, &up, sizeof up));
    cr_assert(d.stage[0].is_each && d.stage[1].is_each && !d.stage[0].line[0].is_uniform);
    static const struct printed part[] = {
        {describe_print_fields, "FIELD(F_B, \"b\", \"b\", \"1\", \"\", 0, ROLE_PROGNOSTIC, SHAPE_FULL, 1)\n"
                                "FAMILY(Q_Q, \"q\", \"tracer\", \"1\", \"\", 0, ROLE_TRACER, SHAPE_FULL, 2)\n"
                                "FAMILY(Q_S, \"s\", \"s\", \"1\", \"\", 0, ROLE_SCRATCH, SHAPE_FULL, 1)\n"},
        {describe_print_table, "MADE(S_ONE, \"one\", one_lines, one_tiles, MADE_WORK(one_bytes), 0, 0, F + 0,"},
        {describe_print_table, "Q_READ(Q_Q, 0, 2, 1, 0, 2, 1, 1)\n     READ(F_U, 0, 1, 1, 0, 0, 0, 0)"},
        {describe_print_table, "     Q_READ_OTHER(Q_Q, 1, 0, 0, 0, 1, 0, 0)\n     Q_UPDATE(Q_Q, 1))"},
        {describe_print_code,
         "    l->r_q = of->f[Q_Q] + at;\n    l->w_s = of->w[Q_S] + at;\n    l->n_member = (real)of->n;"},
        {describe_print_code,
         "far(form, &l->sides, l->r_u, l->r_v, l->r_q, l->sj, i, 0, 1, x_outside), l->r_q[i + 2 * l->sk])"},
        {describe_print_code, "SF_MADE_EACH(one_in_B, one, B)\nSF_MADE_SIDES_IN(SF_MADE_EACH, one, B)\n"},
        {describe_print_code, "SF_MADE_SIDES_ANY(SF_MADE_EACH, one, ((const struct n *)c->ctx)->kind)"},
        {describe_print_code,
         "    case B:\n        one_in_B_part(s, b, c, stream);\n        SF_MADE_SIDES_RUN(one, B, x.side)"},
        {describe_print_code, "SF_MADE_EACH_ONLY(two_in_0, two, 0)"},
    };
    expect_printed(&d, part, sizeof part / sizeof part[0]);
    describe_free(&d);
}

/* A column at its lowest level, of formulas that give structures; and one of all members. */
static const char ground[] =
    "numbers n {\n    rate heat \"ground.heat\"\n}\nfield u id F_U\nfield v id F_V\nmap m id F_M\neach q id Q_Q \"tracer\"\n"
    "use \"toy.h\" pull : pulled warmer\nfunction both(a) = a.up + a.down\n"
    "column low id S_LOW {\n    double warm = rate * time\n    found = pull(warmer(warm, m), heat)\n"
    "    u += found.up\n    v = found.down\n    m = both(found) * pull(1, 2).up\n}\n"
    "column sink id S_SINK {\n    up {\n        solve mixed = tridiagonal(0, 1 + member, 0, q + u)\n    }\n"
    "    down {\n        q = mixed\n    }\n}\n";

/* The lines of a western side are those of the others: mirrored along x, or along y with u and v in each other's place.
 */
Test(describe, stages_beside_open_sides_are_turned)
{
    struct description d;
    settle(&d,
           "numbers toy { rx ry double g }\n"
           "use \"h\" f\n"
           "field u id F_U on x\nfield v id F_V on y\nfield q id F_Q\nfield p id F_P\nmap m id F_M\nlevels a id P_A\n"
           "field s id F_S on x\nfield t id F_T on y\nturn u v\nturn s t\nturn rx ry\n"
           "function edge(p) = at_edge ? p : p[-1, 0, 0]\n"
           "point cells \"c\" id S_C beside open 2 {\n"
           "    p += rx * inward * edge(u) + q + edge(q) + a[1] + m[0, 1]\n"
           "}\n"
           "column faces \"f\" id S_F beside open 1 {\n"
           "    carry double sum = 0\n"
           "    up {\n        sum += u\n    }\n"
           "    up {\n        s = f(sum, g, q, m[0, 0], u[3, 0, 0])\n    }\n"
           "}\n");
    cr_assert(!d.errors, "%s", d.errors);
    const struct described *const cells = &d.stage[0], *const faces = &d.stage[1];
    cr_assert(cells->nsides == 8 && faces->nsides == 4);
    static const struct reach_of {
        const char *stage, *field;
        struct reach reach; /* west, east, below, above, south, north */
    } should[] = {{"cells_west", "u", {0, 0, 0, 0, 0, 0}},      {"cells_west_next", "u", {1, 0, 0, 0, 0, 0}},
                  {"cells_east", "u", {0, 1, 0, 0, 0, 0}},      {"cells_east_next", "u", {0, 2, 0, 0, 0, 0}},
                  {"cells_south", "v", {0, 0, 0, 0, 0, 0}},     {"cells_south_next", "v", {0, 0, 0, 0, 1, 0}},
                  {"cells_north", "v", {0, 0, 0, 0, 0, 1}},     {"cells_north_next", "v", {0, 0, 0, 0, 0, 2}},
                  {"cells_east_next", "q", {0, 1, 0, 0, 0, 0}}, {"cells_north_next", "q", {0, 0, 0, 0, 0, 1}},
                  {"cells_east", "m", {0, 0, 0, 0, 0, 1}},      {"cells_south", "m", {0, 1, 0, 0, 0, 0}},
                  {"faces_east", "q", {1, 0, 0, 0, 0, 0}},      {"faces_north", "m", {0, 0, 0, 0, 1, 0}},
                  {"faces_east", "u", {3, 0, 0, 0, 0, 0}},      {"faces_south", "v", {0, 0, 0, 0, 0, 3}}};
    for (size_t n = 0; n < sizeof should / sizeof should[0]; n++) {
        const struct touch *is = NULL;
        for (int m = 0; m < 12; m++) {
            const struct described *const s = m < 8 ? &cells->side[m] : &faces->side[m - 8];
            for (int t = 0; t < s->ntouches && !strcmp(s->name, should[n].stage); t++)
                if (!strcmp(s->touch[t].field->name, should[n].field)) is = &s->touch[t];
        }
        cr_assert(is && !memcmp(&is->reach, &should[n].reach, sizeof is->reach), "%s, %s", should[n].stage,
                  should[n].field);
    }
    const struct reach both = {1, 2, 0, 0, 0, 0};
    cr_assert(!memcmp(&touch_of(&d, 0, "u")->reach, &both, sizeof both));
    cr_assert(touch_is_update(touch_of(&d, 0, "p")) && touch_is_update(touch_of(&d, 1, "t")));
    char *text = NULL;
    size_t bytes = 0;
    FILE *const to = open_memstream(&text, &bytes);
    describe_print_code(&d, to), describe_print_table(&d, to);
    fclose(to);
    static const char *const has[] = {
        "if (open[1]) cells_east_next_part(s, made_beside(s, b, 1, 1, 0, open), c, stream);",
        "if (open[3]) faces_north_part(s, made_beside(s, b, 3, 0, 1, open), c, stream);",
        "((l->n_rx * R(1.0)) * l->r_u[i - 1])",
        "((l->n_ry * (-R(1.0))) * l->r_v[i + l->sj])",
        "double c_sum = SF_CARRIED(double, l, 0, m);",
        "faces_west_CARRIED = 2",
        "double n_g;",
        "SF_COLUMN_WORK(faces, faces_west)",
        "SF_PART_STAGE(cells, cells_all)",
        "MADE(S_C, \"cells\", cells_run, cells_run_gpu, MADE_POINT, 0, 0, ",
        "MADE(S_F, \"faces\", faces_run, faces_run_gpu, MADE_COLUMN(faces), 0, 0, "};
    for (size_t n = 0; n < sizeof has / sizeof has[0]; n++) cr_assert(strstr(text, has[n]), "%s\n%s", has[n], text);
    free(text);
    describe_free(&d);
}

Test(describe, lowest_levels_and_columns_of_families)
{
    struct description d;
    settle(&d, ground);
    cr_assert_null(d.errors, "%s", d.errors);
    const struct reach own = {0};
    expect_touch(&d, 0, "u", ACCESS_UPDATE, ACCESS_END, own);
    expect_touch(&d, 0, "v", ACCESS_UPDATE, ACCESS_END, own);
    expect_touch(&d, 0, "m", ACCESS_UPDATE, ACCESS_END, own);
    expect_touch(&d, 1, "q", ACCESS_UPDATE, ACCESS_END, own);
    expect_touch(&d, 1, "u", ACCESS_READ, ACCESS_END, own);
    cr_assert(d.stage[1].is_each && !d.stage[0].is_each);
    cr_assert(d.stage[0].line[0].is_uniform && !d.stage[0].line[1].is_uniform);
    static const struct printed part[] = {
        {describe_print_table,
         "MADE_COLUMN(sink), 0, 0, 11,\n     Q_UPDATE(Q_Q, 0)\n     READ(F_U, 0, 0, 0, 0, 0, 0, 0))"},
        {describe_print_code, "    double u_warm;\n"},
        {describe_print_code, "    p.u_warm = (double)x_warm;\n"},
        {describe_print_code, "    p.n_heat = (real)((double)d->ground.heat);\n"},
        {describe_print_code, "    const struct pulled x_found = pull(warmer(l->u_warm, g_m_0_0_0), l->n_heat);\n"
                              "    const real to_u = (g_u_0_0_0 + x_found.up);\n"
                              "    const real to_v = x_found.down;\n"
                              "    const real to_m = ((x_found.up + x_found.down) * pull(R(1.0), R(2.0)).up);\n"},
        {describe_print_code, "    sink_member(&l, x->of, at);\n    return l;\n"},
        {describe_print_code, "enum { sink_SLOTS = 1, sink_CARRIED = 3 };"},
        {describe_print_code, "SF_MADE_BLOCKS_EACH_COLUMN(sink, sink)"},
    };
    expect_printed(&d, part, sizeof part / sizeof part[0]);
    describe_free(&d);
}

/* ---- what is told of mistakes: the place of the first, and words of it ---- */

#define BESIDE "numbers s { r }\nuse \"h\" f\nfield u on x\nfield v on y\nfield q\nturn u v\n"

static const struct mistake mistakes[] = {
    {"fild u = 1", "1:1", "a line begins with"},
    {"field u = 1 2", "1:13", "not understood"},
    {"field u = (1", "1:13", "')' is missing"},
    {"field u \"t", "1:9", "does not end"},
    {"field u = 1.2.3", "1:11", "no number"},
    {"field u = 2^0.5", "1:13", "pow(x, y)"},
    {"field u on q", "1:12", "an axis"},
    {"parameter a 1", "1:13", "'=' is missing"},
    {"parameter Ab = 1", "1:11", "small ones"},
    {"parameter a = 3 \"\" \"\" 0 .. 2", "1:11", "not in its range"},
    {"parameter a = 3 \"\" \"\" 4 .. 2", "1:11", "to a larger one"},
    {"field grid", "1:7", "have a grid of their own"},
    {"field u\nshow x_bnds = u", "2:6", "of their own"},
    {"field u\nmap U\ncolumn c {\n    U = 1\n}", "2:5", "differs in case alone"},
    {"field u\nshow a = u\nshow a = u", "3:6", "the history has a a already"},
    {"field u\ntotal a = u\nlargest a = u", "3:9", "the series has a a already"},
    {"field u\ntotal time = u", "2:7", "of their own"},
    {"number a = b", "1:12", "there is no b"},
    {"number a = b\nnumber b = 1", "1:12", "further down"},
    {"number a = sin", "1:12", "arguments are missing"},
    {"number a = sin(1, 2)", "1:12", "takes 1 argument, not 2"},
    {"number a = sinus(1)", "1:12", "no function sinus"},
    {"number a = 1 < 2", "1:14", "stands in a choice"},
    {"number a = 1 ? 2 : 3", "1:12", "a comparison is missing"},
    {"number a = x", "1:12", "known in stages alone"},
    {"field u = dt", "1:11", "known in stages alone"},
    {"field u\nfield v = u", "2:11", "before the run"},
    {"field dt", "1:7", "there is a dt already"},
    {"field new", "1:7", "a word of the language"},
    {"function f(a) = f(a)\nnumber b = f(1)", "1:17", "calls itself"},
    {"function f(a) = a[1, 0, 0]\nfield u\npoint p {\n    u = f(1 + 1)\n}", "1:17", "must be a field"},
    {"field u\npoint p {\n    u = u[9, 0, 0]\n}", "3:11", "-8 to 8"},
    {"field u\npoint p {\n    u = u[0.5, 0, 0]\n}", "3:11", "whole numbers"},
    {"field u\npoint p {\n    u = u[1, 0]\n}", "3:9", "takes 3 distances, not 2"},
    {"levels a = z\nfield u\npoint p {\n    u = a[1, 0]\n}", "4:9", "takes 1 distance, not 2"},
    {"field u\npoint p {\n    u = u[1, 0, 0]\n}", "3:5", "write `new u = ...`"},
    {"field u\npoint p {\n    u = 1\n    new u = 2\n}", "4:9", "has its new value already"},
    {"field u\nfield v\npoint p {\n    u = 1\n    v = u\n}", "5:9", "has its new value already"},
    {"field u\npoint p {\n    new u = u + old u\n}", "3:9", "such a stage does not change it"},
    {"field u\nfield v\nmap m = 0\ncolumn c {\n    up {\n        v = u + old u\n    }\n}", "6:17",
     "by a stage of points"},
    {"field u\npoint p {\n    u = 1\n    only where u > 0\n}", "4:5", "before the first line that changes"},
    {"field u\npoint p {\n    only where u > 0\n    only where u > 1\n    u = 1\n}", "4:5", "stands once"},
    {"field u\npoint p {\n    only where u\n    u = 1\n}", "3:16", "a comparison is missing"},
    {"field u\npoint p {\n    only where u > 0\n    new u = 1\n}", "4:9", "no other value there"},
    {"field u\nfield v\npoint p apart {\n    only where u > 0\n    v = 1\n}", "4:5", "not computed apart"},
    {"field u\nmap m = 0\ncolumn c {\n    only where u > 0\n    m = 1\n}", "4:5", "or in a sweep"},
    {"field u\nmap m = 0\ncolumn c {\n    up {\n        a = u\n        only where u > 0\n        u = a\n    }\n"
     "    down {\n        u = a\n    }\n}",
     "5:9", "leaves it out at some levels"},
    {"field u\nmap m = 0\ncolumn c {\n    up {\n        solve x = tridiagonal(0, 1, 0, u)\n    }\n    down {\n"
     "        only where u > 0\n        u = x\n    }\n}",
     "8:9", "at all levels"},
    {"field u\npoint p {\n    new u = old u\n}", "3:9", "one of them must go"},
    {"scratch s\npoint p {\n    new s = 1\n}", "3:9", "leave out `new`"},
    {"scratch s\nfield u\npoint p {\n    u = old s\n}", "4:9", "no old value"},
    {"static f = 1\npoint p {\n    f = 2\n}", "3:5", "nothing changes it"},
    {"map h = 1\npoint p {\n    h = 2\n}", "3:5", "computes points"},
    {"parameter a = 1\npoint p {\n    a = 2\n}", "3:5", "is no field"},
    {"field u\npoint p {\n    a = 1\n    a = 2\n    u = a\n}", "4:5", "has a value already"},
    {"field u\npoint p {\n    a = 1\n}", "2:7", "writes no field"},
    {"field u\npoint p {\n}", "2:7", "writes nothing"},
    {"field u\npoint p {\n    u = x\n}", "3:9", "make a static field of it"},
    {"field u\npoint p {\n    u = 1\n}\nstep {\n    q\n}", "6:5", "there is no stage q"},
    {"field u\npoint p {\n    u = 1\n}\nstep {\n    p * 1 / 0\n}", "6:11", "more than 0"},
    {"field u\npoint p {\n    u = 1\n}\nstep {\n    p every 0.5\n}", "6:13", "a whole number"},
    {"field u\npoint p {\n    new u = 1\n}\nstep {\n    p every 2\n}", "6:5", "runs in every step"},
    {"field u\nscratch s\npoint p {\n    u = s\n}\nstep {\n    p\n}", "7:5", "has written yet"},
    {"field u\npoint p {\n    u = old u\n}\nstep {\n    p\n}", "6:5", "before any stage"},
    {"field u\nfield v\npoint p {\n    u = 1\n}\nstep {\n    p\n}", "2:7", "no stage of the step writes v"},
    {"field u\npoint p {\n    u = 1\n}\nstep {\n    p\n}\nshow a = u[2, 0, 0]", "8:6", "further away than one point"},
    {"field u", "1:1", "no step"},
    {"field u", "1:1", "begins with a line `model"},
    {"function f(a) = b", "1:17", "there is no b"},
    {"function f(a) = g(a)", "1:17", "no function g"},
    {"function f(a, a) = a", "1:10", "one name"},
    {"number a = 1e999", "1:12", "no number"},
    {"map h = z", "1:9", "x and y alone"},
    {"levels a = x", "1:12", "z alone"},
    {"scratch s\nshow q = s", "2:10", "the state between steps"},
    {"field u\nshow q = old u", "2:10", "the state between steps"},
    {"field u\nmap m = 0\ncolumn c {\n    new u = 1\n}", "4:9", "the lowest level of u"},
    {"field u\nmap m = 0\ncolumn c {\n    u = old u\n}", "4:5", "no `old` value"},
    {"field u\nmap m = 0\ncolumn c {\n    u = 1\n    up {\n        u = 2\n    }\n}", "6:9",
     "has its new value already"},
    {"field u\npoint p {\n    u = u.x\n}", "3:10", "no structure"},
    {"field u\npoint p {\n    u = u.2\n}", "3:10", "not understood"},
    {"use \"h\" f : \nfield u", "1:13", "the name of a structure"},
    {"use \"h\" f : s\nfield u\ncolumn c {\n    a = f(1)\n    up {\n        u = a.x\n    }\n}", "6:13",
     "no other part has it"},
    {"numbers n { r }\nfield u\npoint p {\n    double a = u\n    u = a\n}", "4:12", "made once for all points"},
    {"numbers n { r }\nfield u\npoint p {\n    double a = r\n    u = a\n}", "5:9", "formulas of a header take"},
    {"field u\npoint p {\n    double a = 1\n    u = a\n}", "3:12", "'=' is missing"},
    {"field u\nmap m = 0\ncolumn c {\n    up {\n        m = 1\n    }\n}", "5:9", "beside the sweeps"},
    {"field u\nmap m = 0\ncolumn c {\n    new m = 1\n}", "4:9", "leave out `new`"},
    {"field u\nmap m = 0\ncolumn c {\n    up {\n        u = u[0, 0, 1]\n    }\n}", "5:9",
     "at_top ? value : u[0, 0, 1]"},
    {"field u\nmap m = 0\ncolumn c {\n    up {\n        u = at_bottom ? 0 : u[0, 0, -1]\n    }\n}", "5:9",
     "carry what it was"},
    {"field u\nmap m = 0\ncolumn c {\n    up {\n        a = u\n    }\n    m = a\n}", "7:9", "here is none"},
    {"field u\nmap m = 0\ncolumn c {\n    a = at_top ? 1 : 2\n    m = a\n}", "4:9", "asked in a sweep"},
    {"field u\nmap m = 0\ncolumn c {\n    up {\n        u = at_top\n    }\n}", "5:13", "in a choice"},
    {"field u\nmap m = 0\ncolumn c {\n    up {\n        carry a = 1\n        u = a\n    }\n}", "5:15",
     "declared beside"},
    {"field u\nmap m = 0\ncolumn c {\n    carry a = 1\n    carry a = 2\n    m = a\n}", "5:11", "has a value already"},
    {"field u\nmap m = 0\ncolumn c {\n    up {\n        solve x = u\n    }\n    down {\n        u = x\n    }\n}",
     "5:15", "what can be solved"},
    {"field u\nmap m = 0\ncolumn c {\n    up {\n        solve x = tridiagonal(0, 1, 0, u)\n        u = x\n    }\n}",
     "5:15", "the next, which goes back"},
    {"field u\nmap m = 0\ncolumn c {\n    up {\n        solve x = tridiagonal(0, 1, 0, u)\n    }\n    up {\n        u = x\n    }\n}",
     "5:15", "the next, which goes back"},
    {"field u\nmap m = 0\ncolumn c {\n    up {\n        solve x = tridiagonal(0, 1, 0, u)\n    }\n    down {\n        u = x[-1]\n    }\n}",
     "8:13", "on the way down"},
    {"field u\nmap m = 0\ncolumn c {\n    up {\n        solve x = tridiagonal(0, 1, 0, u)\n    }\n    down {\n        u = x\n    }\n    m = x\n}",
     "10:9", "in the sweep behind"},
    {"field u\nmap m = 0\ncolumn c {\n    up {\n        down {\n        }\n    }\n}", "5:14", "is missing"},
    {"field u\nmap m = 0\ncolumn c {\n    m = u[1, 0, 0] + m[1, 0]\n}", "4:5", "where neighbours still read"},
    {"levels a = z\ncolumn c {\n    up {\n        a = 1\n    }\n}", "4:9", "one profile for all columns"},
    {"field u\npoint p {\n    u = 1\n}\ncolumn q like p new u", "5:8", "of the same kind"},
    {"field u\npoint q like p new u", "2:7", "there is no stage p of the same kind"},
    {"field u\nfield v\npoint p {\n    u = 1\n}\npoint q like p new v", "6:7", "does not change v"},
    {"field u\npoint p {\n    u = 1\n}\npoint q like p with v for u", "5:7", "changes u"},
    {"field u\nfield v\npoint p {\n    u = v\n}\npoint q like p with w for v", "4:9", "there is no w"},
    {"field u\nfield v\npoint p {\n    u = v\n}\npoint q like p with u", "6:21", "there is no list u"},
    {"field u\nfield v\npoint p {\n    u = v\n}\nswap s {\n    u\n}\npoint q like p with s", "7:6", "'for'"},
    {"field u\nfield v\npoint p {\n    u = v\n}\nfunction g() = 2\npoint q like p with g for v\npoint r {\n    u = old v\n}\n"
     "point t like r with g for v",
     "9:9", "no field"},
    {"field u\nfunction f(a) = a\nnumber c = 3\npoint p {\n    u = f(2)\n}\npoint q like p with c for f", "5:9",
     "no function c, which stands for f"},
    {"field u\nlevels v\nlevels w\npoint p {\n    new u = u[1, 0, 0]\n}\npoint q like p new u with w for v, w for u",
     "7:7", "changes u"},
    {"field u\nstatic v = 1\nlevels w = z\npoint p {\n    u = v[1, 0, 0]\n}\npoint q like p with w for v", "5:9",
     "taken at other points here"},
    {"field u\nstatic v = 1\nfunction g() = dx\nfunction h() = dt * g()\nstatic w = 2\npoint p {\n    new u = v[1, 0, 0]\n}\n"
     "point q like p new u with none for v",
     "7:13", "there is no none"},
    {"field u\nfield v\npoint p {\n    u = v\n}\nswap s {\n    u for vv\n}\npoint q like p with s", "7:5",
     "there is no vv"},
    {"field u\nfield v\nfield w\npoint p {\n    u = v\n}\npoint q like p with v for w", "7:21", "nothing names w"},
    {"use \"h\" f\nfield u\nlevels v = z\nmap m = 0\npoint p {\n    u = f(v[0 .. 1])\n}\npoint q like p with m for v",
     "6:11", "no such range"},
    {"field u\npoint p {\n    new u = u[-1 .. 1, 0, 0]\n}", "3:13", "several arguments"},
    {"field u\npoint p {\n    new u = max(u[1 .. 1, 0, 0])\n}", "3:21", "the lower distance"},
    {"field u\npoint p {\n    new u = max(u[0 .. 1, 0 .. 1, 0])\n}", "3:29", "on a line"},
    {"field u\npoint p {\n    new u = max(u[0 .. 2, 0, 0])\n}", "3:13", "takes 2 arguments, not 3"},
    {"function f(a) = max(a[0 .. 1, 0, 0])\nfield u\npoint p {\n    new u = f(u[0 .. 1, 0, 0])\n}", "1:21",
     "a range of points where f is called"},
    {"field u\npoint p apart {\n    u = u + 1\n}", "2:7", "cannot read u"},
    {"form kind { }", "1:13", "the literals"},
    {"form kind { A B }", "1:6", "a member of `numbers STRUCT`"},
    {"numbers t { r }\nform a { A }\nform b { B }\nfield u\npoint p {\n    u = min(a, b)\n}", "6:16",
     "in the forms of a already"},
    {"numbers t { r }\nform a { A }\nnumber c = a", "3:12", "known in stages alone"},
    {PARTS "point p {\n    u = m\n}", "8:9", "a table takes it"},
    {PARTS "point p {\n    u = t(u)\n}", "8:9", "the name of a field of media"},
    {PARTS "point p {\n    u = t\n}", "8:9", "arguments are missing"},
    {PARTS "point p {\n    u = q\n}", "8:9", "within its own layer"},
    {PARTS "point p {\n    u = 1\n    layer x {\n        q = 1\n    }\n}", "10:9", "within its own layer"},
    {PARTS "point p {\n    u = 1\n    layer z {\n        q = 1\n        u = q\n    }\n}", "11:13", "new value already"},
    {PARTS "point p {\n    u = 1\n    layer z {\n        u = u[1, 0, 0]\n    }\n}", "10:13", "at the own point alone"},
    {PARTS "point p {\n    u = 1\n    layer z {\n        u = 2\n    }\n    a = 1\n}", "12:5", "layers come last"},
    {PARTS "point p {\n    layer z {\n        a = 1\n    }\n    layer x {\n        u = a\n    }\n}", "12:13",
     "there is no a"},
    {PARTS "sweep s = p", "7:7", "no stage of points above"},
    {FAMILY "point p {\n    s = far(q[1, 1, 0], 1)\n}", "10:9", "points along x or y"},
    {FAMILY "point p {\n    s = far(2 * q, 1)\n}", "10:9", "takes a field"},
    {FAMILY "point p {\n    s = far(q)\n}", "10:9", "takes a field"},
    {FAMILY "number a = far(q, 1)", "9:12", "known in stages alone"},
    {FAMILY "beyond off u, w\npoint p {\n    s = off(q, 1)\n}", "11:9", "no field w"},
    {FAMILY "point p apart {\n    s = q\n}", "9:7", "not computed apart"},
    {FAMILY "column p cpu f {\n    up {\n        s = q\n    }\n}", "9:8", "points of all members"},
    {FAMILY "column p {\n    up {\n        s = far(q[1, 0, 0], 1)\n    }\n}", "9:8", "points of all members"},
    {FAMILY "map m\ncolumn p {\n    carry a = 0\n    up {\n        a = a + q\n    }\n    m = a\n}", "15:5",
     "one for all members"},
    {FAMILY "point p {\n    u = q\n}", "10:5", "one for all members"},
    {FAMILY "point p cpu f {\n    u = v\n}", "9:7", "of all members of a family"},
    {"field u\npoint p {\n    u = member\n}", "3:9", "there is no member"},
    {PARTS "point p {\n    u = 2 * u\n}\nsweep s imaginary = p", "10:9", "'=' is missing"},
    {PARTS "elements p id P {\n    reads f {u}\n}\npoint o like p new u", "10:7", "of the same kind"},
    {PARTS "sweep s = p, q between", "7:16", "not understood"},
    {PARTS "number a = r", "7:12", "known in stages alone"},
    {PARTS "line a along q \"a\"", "7:14", "x, y or z"},
    {"layer z id A \"a\" B \"b\" { q }", "1:1", "a line begins with"},
    {BESIDE "point p beside open 3 {\n    q = 1\n}", "7:21", "1 or 2"},
    {BESIDE "point p beside open 1 {\n    new q = 1\n}", "8:9", "leave out `new`"},
    {BESIDE "point p beside open 1 {\n    q = 1\n    u = 1\n}", "7:7", "one here and one there"},
    {BESIDE "point p beside open 2 {\n    u = 1\n}", "7:7", "of which there is one"},
    {BESIDE "point p apart beside open 1 {\n    q = 1\n}", "7:7", "not computed apart"},
    {BESIDE "point p beside open 1 {\n    only where q > 0\n    q = 1\n}", "7:7", "no `only where`"},
    {BESIDE "field p on x\npoint s beside open 1 {\n    q = p\n}", "9:9", "turn p OTHER"},
    {BESIDE "point p {\n    q = inward\n}", "8:9", "there is no inward"},
    {BESIDE "point p {\n    q = at_edge ? 1 : 2\n}", "8:9", "a comparison is missing"},
    {BESIDE "turn u", "7:7", "two names"},
    {BESIDE "turn q p", "7:6", "there is no p"},
    {"field u\npoint p beside open 1 {\n    u = 1\n}", "2:9", "'{' is missing"},
    {"numbers n { double r }\nfield u\npoint p {\n    u = r\n}", "4:9", "formulas of a header take"},
    {"numbers n { double r }\nmap m\ncolumn c {\n    carry double a = 0\n    m = a\n}", "5:9",
     "formulas of a header take"},
    {"field a_name_that_is_longer_than_any_that_anybody_reads_in_a_plot", "1:7", "at most 48 characters"},
};

Test(describe, mistakes_are_told_where_they_stand)
{
    expect_mistakes(mistakes, sizeof mistakes / sizeof mistakes[0], 0);
}

/* What a sweep reads has room, or is refused; all of it is printed. */
Test(describe, a_sweep_that_reads_too_much_is_refused)
{
    for (int fields = 12; fields <= 13; fields++) { /* of eight points each */
        char text[8192];
        size_t n = (size_t)snprintf(text, sizeof text, "model m\nfield u\n");
        for (int k = 0; k < fields; k++) n += (size_t)snprintf(text + n, sizeof text - n, "static f%d = 1\n", k);
        n += (size_t)snprintf(text + n, sizeof text - n, "column c {\n    up {\n");
        for (int k = 0; k < fields; k++) {
            n += (size_t)snprintf(text + n, sizeof text - n, "        a%d = 0", k);
            for (int i = 0; i < 8; i++) n += (size_t)snprintf(text + n, sizeof text - n, " + f%d[%d, 0, 0]", k, i);
            n += (size_t)snprintf(text + n, sizeof text - n, "\n");
        }
        snprintf(text + n, sizeof text - n, "        u = a0\n    }\n}\nstep {\n    c\n}\n");
        expect_told(text, fields == 12 ? NULL : "at most 96 values");
    }
}

Test(describe, a_stage_that_knows_too_many_numbers_is_refused)
{
    for (int numbers = 96; numbers <= 97; numbers++) {
        char text[8192];
        size_t n = (size_t)snprintf(text, sizeof text, "model m\nfield u\n");
        for (int k = 0; k < numbers; k++) n += (size_t)snprintf(text + n, sizeof text - n, "number a%d = %d\n", k, k);
        n += (size_t)snprintf(text + n, sizeof text - n, "point p {\n    u = u");
        for (int k = 0; k < numbers; k++) n += (size_t)snprintf(text + n, sizeof text - n, " + a%d", k);
        snprintf(text + n, sizeof text - n, "\n}\nstep {\n    p\n}\n");
        expect_told(text, numbers == 96 ? NULL : "more than 96 numbers");
    }
}

/* As many files as a model has; a mistake is told where it stands. */
Test(describe, a_model_may_have_many_files)
{
    enum { FILES = 40 };
    static char text[FILES][128], path[FILES][32];
    struct description d = {0};
    for (int n = 0; n < FILES; n++) {
        snprintf(text[n], sizeof text[n], "# a line\nfield f%d id F_%d\nfield g%d = %s\n", n, n, n,
                 n == 30 ? "h" : "1");
        snprintf(path[n], sizeof path[n], "m%d.sf", n);
        describe_read(&d, path[n], text[n]);
    }
    describe_settle(&d);
    cr_assert(d.nsheets == FILES && strstr(d.errors, "m30.sf:3:13: there is no h"), "%s", d.errors);
    describe_free(&d);
}

/* A stage may have any name: what is printed of it has another. */
Test(describe, stages_of_a_file_have_names_of_their_own_in_c)
{
    struct description d;
    settle(&d, "model m\nfield u\npoint linux {\n    u += 1\n}\npoint show_u {\n    u += 1\n}\n"
               "step {\n    linux\n    show_u\n}\n");
    cr_assert(!d.errors, "%s", d.errors);
    cr_assert_str_eq(d.stage[1].called, "show_u");
    char *const code = printed_of(&d, describe_print_code);
    cr_assert(strstr(code, "struct s0_linux_pack") && strstr(code, "struct s1_show_u_pack") && !strstr(code, "(linux"));
    free(code);
    describe_free(&d);
}

/* A caret stands below the character, behind the tabs of its line. */
Test(describe, a_caret_points)
{
    struct description d;
    settle(&d, "\tnumber a = b");
    cr_assert_str_eq(d.errors,
                     "m.sf:1:13: there is no b\n  \tnumber a = b\n  \t           ^\n"
                     "m.sf:1:1: there is no step { ... }: nothing would be computed\n  \tnumber a = b\n  ^\n"
                     "m.sf:1:1: a description begins with a line `model NAME \"title\"`\n  \tnumber a = b\n  ^\n");
    describe_free(&d);
}

/* The engine has room for so many, and for no more. */
static int is_taken(int fields, int statics, int sums)
{
    enum { ROOM = 1 << 16 };
    char *const text = malloc(ROOM);
    size_t n = (size_t)snprintf(text, ROOM, "model m\n");
    for (int k = 0; k < statics; k++) n += (size_t)snprintf(text + n, ROOM - n, "static c%d = 1\n", k);
    for (int k = 0; k < fields; k++)
        n += (size_t)snprintf(text + n, ROOM - n, "field u%d = 1\npoint p%d {\n    u%d += 1\n}\n", k, k, k);
    for (int k = 0; k < sums; k++) n += (size_t)snprintf(text + n, ROOM - n, "total s%d = u0\n", k);
    n += (size_t)snprintf(text + n, ROOM - n, "step {\n");
    for (int k = 0; k < fields; k++) n += (size_t)snprintf(text + n, ROOM - n, "    p%d\n", k);
    snprintf(text + n, ROOM - n, "}\n");
    struct description d;
    settle(&d, text);
    const int is = !d.errors;
    describe_free(&d);
    free(text);
    return is;
}

Test(describe, there_is_room_for_so_many)
{
    cr_assert(is_taken(SF_MAX_CHANGED, SF_MAX_FIELDS - SF_MAX_CHANGED, SUMS));
    cr_assert(!is_taken(SF_MAX_CHANGED + 1, 0, 1));
    cr_assert(!is_taken(1, SF_MAX_FIELDS, 1));
    cr_assert(!is_taken(1, 0, SUMS + 1));
}

Test(describe, functions_are_not_put_in_their_place_for_ever)
{
    char text[4096] = "function f0(a) = a + a\n";
    size_t n = strlen(text);
    for (int k = 1; k < 16; k++)
        n += (size_t)snprintf(text + n, sizeof text - n, "function f%d(a) = f%d(f%d(a))\n", k, k - 1, k - 1);
    snprintf(text + n, sizeof text - n, "number b = f15(1)\n");
    struct description d;
    settle(&d, text);
    cr_assert(strstr(d.errors, "operations come of this") || strstr(d.errors, "16 deep"));
    describe_free(&d);
}

/* ---- texts that chance has spoilt ---- */

static uint64_t drawn = 88172645463325252u;
static uint64_t draw(uint64_t below)
{
    drawn ^= drawn << 13, drawn ^= drawn >> 7, drawn ^= drawn << 17;
    return drawn % below;
}

/* A character, a word or a line goes, comes twice or becomes another. */
static void spoil(char *text, size_t room)
{
    static const char *const piece[] = {
        "(",      ")",    "{",     "}",  "[", "]",    "[1, 0, 0]", "new ",  "old ", "\n", " ", "-",
        "+=",     "9999", "1e999", "\"", "#", "u",    "dt",        "every", "?",    ":",  "^", "function f(a) = ",
        "step {", "\x01", "\xff",  ",",  "=", "show "};
    const size_t n = strlen(text), at = n ? draw(n) : 0;
    const char *const in = piece[draw(sizeof piece / sizeof piece[0])];
    size_t out = draw(3) ? draw(4) : draw(40);
    if (out > n - at) out = n - at;
    const size_t m = draw(4) ? strlen(in) : 0;
    if (n - out + m + 1 > room) return;
    memmove(text + at + m, text + at + out, n - at - out + 1);
    memcpy(text + at, in, m);
}

static const char *const shipped[] = {"heat.sf",    "acoustic.sf",     "shallow_water.sf", "gray_scott.sf",
                                      "burgers.sf", "schroedinger.sf", "drizzle.sf"};
enum { SHIPPED = sizeof shipped / sizeof shipped[0] };

Test(describe, spoilt_texts_crash_nothing)
{
    enum { TEXTS = 3000, ROOM = 8192 };
    int wrong = 0;
    for (int n = 0; n < TEXTS; n++) {
        char *const text = malloc(ROOM);
        snprintf(text, ROOM, "%s", described_shipped(shipped[n % SHIPPED]));
        for (uint64_t k = draw(8) + 1; k > 0; k--) spoil(text, ROOM);
        struct description d;
        settle(&d, text);
        wrong += d.nerrors > 0;
        cr_assert(!d.nerrors == !d.errors);
        if (!d.nerrors) {
            char *code = NULL;
            size_t size;
            FILE *const to = open_memstream(&code, &size);
            describe_print_code(&d, to), describe_print_begin(&d, to);
            fclose(to);
            free(code);
        }
        describe_free(&d);
        free(text);
    }
    cr_assert(wrong > TEXTS / 2 && wrong < TEXTS, "%d of %d are wrong", wrong, TEXTS);
}

Test(describe, models_that_come_with_the_program_are_right)
{
    for (int n = 0; n < SHIPPED; n++) {
        struct description d;
        settle(&d, described_shipped(shipped[n]));
        cr_assert_null(d.errors, "%s", d.errors);
        describe_free(&d);
    }
    cr_assert_null(described_shipped("cold.sf"));
}
