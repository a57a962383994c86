/* With which choices each key of the EM model counts. SPDX-License-Identifier: MIT */
#include "maxwell/own.h"
#include "pipeline/uses.h"

#define LAYERED "boundary%west boundary%east boundary%south boundary%north boundary%bottom boundary%top", "cpml"
#define PORTED "port%kind", "lumped guide line"
#define WAVED "plane_wave%direction", "+x -x +y -y +z -z oblique"
#define FORMULA "gaussian differentiated_gaussian ricker modulated_gaussian ramped_sine"
#define CARRIED "modulated_gaussian ramped_sine"
/* Keys of a waveform: with what its group needs besides. */
#define WAVEFORM(group, ...)                                                                                           \
    {group "%frequency", group "%waveform", FORMULA, __VA_ARGS__},                                                     \
        {group "%bandwidth", group "%waveform", "modulated_gaussian", __VA_ARGS__},                                    \
        {group "%phase", group "%waveform", CARRIED, __VA_ARGS__},                                                     \
    {                                                                                                                  \
        group "%file", group "%waveform", "file", __VA_ARGS__                                                          \
    }
#define SOLID(key, shapes)                                                                                             \
    {                                                                                                                  \
        "geometry%" key, "geometry%shape", shapes, NULL, NULL                                                          \
    }
#define EXTENT "box cylinder cone layer sheet wire polygon"
#define TURNED "box cylinder cone polygon stl sheet disc"
#define FAR(key)                                                                                                       \
    {                                                                                                                  \
        "monitor%" key, "monitor%kind", "far", NULL, NULL                                                              \
    }
#define POLE(key, kinds)                                                                                               \
    {                                                                                                                  \
        "pole%" key, "pole%kind", kinds, NULL, NULL                                                                    \
    }
#define SPECTRUM(key)                                                                                                  \
    {"spectrum%" key, "monitor%name", NULL, NULL, NULL}, { "spectrum%" key, PORTED, NULL, NULL }

static const struct param_use use[] = {
    {"cpml%cells", LAYERED, NULL, NULL},
    {"cpml%order", LAYERED, NULL, NULL},
    {"cpml%sigma_factor", LAYERED, NULL, NULL},
    {"cpml%kappa", LAYERED, NULL, NULL},
    {"cpml%alpha", LAYERED, NULL, NULL},
    {"cpml%alpha_order", LAYERED, NULL, NULL},

    {"bloch%phi", "bloch%theta", NULL, NULL, NULL},
    {"bloch%frequency", "bloch%theta", NULL, NULL, NULL},
    {"medium%table_unit", "medium%table", NULL, NULL, NULL},
    POLE("strength", "debye lorentz critical"),
    POLE("tau", "debye"),
    POLE("omega", "drude lorentz critical"),
    POLE("gamma", "drude lorentz critical"),
    POLE("phase", "critical"),
    POLE("pole_re", "pair"),
    POLE("pole_im", "pair"),
    POLE("residue_re", "pair"),
    POLE("residue_im", "pair"),

    SOLID("axis", "cylinder half_space layer sheet wire cone polygon disc"),
    SOLID("side", "half_space"),
    SOLID("size_x", EXTENT),
    SOLID("size_y", EXTENT),
    SOLID("size_z", EXTENT),
    SOLID("radius", "sphere cylinder wire cone disc"),
    SOLID("radius_top", "cone"),
    SOLID("turn_x", TURNED),
    SOLID("turn_y", TURNED),
    SOLID("turn_z", TURNED),
    SOLID("shell", "box sphere cylinder cone polygon stl"),
    {"geometry%open_ends", "geometry%shape", "cylinder cone polygon", "geometry%shell", NULL},
    SOLID("stl", "stl"),
    SOLID("stl_scale", "stl"),
    SOLID("corner_count", "polygon"),

    {"source%size_a", "source%kind", "mode", NULL, NULL},
    {"source%size_b", "source%kind", "mode", NULL, NULL},
    {"source%mode_m", "source%kind", "mode", NULL, NULL},
    {"source%mode_n", "source%kind", "mode", NULL, NULL},
    WAVEFORM("source", NULL, NULL),

    {"port%resistance", "port%kind", "lumped", NULL, NULL},
    {"port%toward", "port%kind", "guide line", NULL, NULL},
    {"port%mode_m", "port%kind", "guide", NULL, NULL},
    {"port%mode_n", "port%kind", "guide", NULL, NULL},
    {"port%shift", "port%kind", "guide line", NULL, NULL},
    {"excitation%port", PORTED, NULL, NULL},
    {"excitation%amplitude", PORTED, NULL, NULL},
    {"excitation%waveform", PORTED, NULL, NULL},
    {"excitation%delay", PORTED, NULL, NULL},
    WAVEFORM("excitation", PORTED),

    {"plane_wave%theta", "plane_wave%direction", "oblique", NULL, NULL},
    {"plane_wave%phi", "plane_wave%direction", "oblique", NULL, NULL},
    {"plane_wave%layers", "plane_wave%direction", "oblique", NULL, NULL},
    {"plane_wave%polarisation", WAVED, NULL, NULL},
    {"plane_wave%amplitude", WAVED, NULL, NULL},
    {"plane_wave%margin", WAVED, NULL, NULL},
    {"plane_wave%box", WAVED, NULL, NULL},
    {"plane_wave%waveform", WAVED, NULL, NULL},
    {"plane_wave%delay", WAVED, NULL, NULL},
    WAVEFORM("plane_wave", WAVED),

    FAR("theta_from"),
    FAR("theta_to"),
    FAR("theta_count"),
    FAR("phi_from"),
    FAR("phi_to"),
    FAR("phi_count"),
    FAR("reference_x"),
    FAR("reference_y"),
    FAR("reference_z"),
    FAR("mirror"),
    {"monitor%orders", "monitor%kind", "orders", NULL, NULL},
    SPECTRUM("from"),
    SPECTRUM("to"),
    SPECTRUM("count"),
    SPECTRUM("frequencies"),
    SPECTRUM("every"),
    {"spectrum%reference", "monitor%name", NULL, NULL, NULL},
    {"stop%probe_time", "stop%probe", NULL, NULL, NULL},
};

void maxwell_uses_check(const struct maxwell_params *p, values_function *values, const void *names,
                        struct complaints *to)
{
    param_uses_check(&maxwell_model, p, use, (int)(sizeof use / sizeof use[0]), values, names, to);
}
