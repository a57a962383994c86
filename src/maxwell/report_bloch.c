/* What `check` tells of complex fields: their price, the light line, the angles of a plane wave.
 * SPDX-License-Identifier: MIT */
#include "maxwell/own.h"

#include <math.h>
#include <stdio.h>

static const double pi = 3.14159265358979323846, steep = 80; /* degrees, from where a wave leaves slowly */

/* Angle from the normal of a wave of the transverse wave numbers, degrees; NAN: it does not travel. */
static double angle_of(const struct maxwell_own *own, double frequency, double index)
{
    const double sine = bloch_light_line(&own->bloch, index) / frequency;
    return sine < 1 ? asin(sine) * 180 / pi : NAN;
}

void bloch_report(const struct maxwell_own *own, void (*line)(void *, const char *), void *to)
{
    const struct bloch *const b = &own->bloch;
    char text[512];
    double amplitude, impedance, index = own->index[FACE_T];
    if (own->incident) incident_strength(own->incident, &amplitude, &impedance, &index);
    snprintf(
        text, sizeof text,
        "bloch: kx %.6g, ky %.6g, kz %.6g rad/m, %.4g, %.4g, %.4g degrees from side to side; fields are complex, which takes memory and time twice",
        b->k[AX], b->k[AY], b->k[AZ], b->k[AX] * b->period[AX] * 180 / pi, b->k[AY] * b->period[AY] * 180 / pi,
        b->k[AZ] * b->period[AZ] * 180 / pi);
    line(to, text);
    const double light = bloch_light_line(b, index);
    if (!(light > 0)) return;
    snprintf(text, sizeof text, "light line: below %.6g Hz nothing of that k travels where n = %.4g", light, index);
    line(to, text);
    if (!own->incident) return;
    const double low = angle_of(own, SF_MAX(own->lowest, light * (1 + 1e-9)), index),
                 high = angle_of(own, own->highest, index);
    double toward[3], aim[3], origin[3];
    int a = 0;
    incident_travel(own->incident, toward, aim, origin);
    while (!(toward[a] * toward[a] > 0.5)) a++;
    snprintf(
        text, sizeof text,
        "plane wave: %.4g degrees from the normal at %.4g Hz, %.4g at %.4g Hz; polarisation = %.4g has E in the plane of incidence (p, TM), 90 more across it (s, TE)",
        low, SF_MAX(own->lowest, light), high, own->highest, atan2(b->k[(a + 2) % 3], b->k[(a + 1) % 3]) * 180 / pi);
    line(to, text);
}

void bloch_judge(const struct instance *in, const struct maxwell_own *own)
{
    double amplitude, impedance, index;
    if (!own->bloch.is_there || !own->incident) return;
    incident_strength(own->incident, &amplitude, &impedance, &index);
    const double light = bloch_light_line(&own->bloch, index), low = angle_of(own, own->lowest, index);
    if (low < steep || !(light > 0)) return;
    sf_complain_mildly(
        in->complaints, "plane_wave%bandwidth plane_wave%frequency bloch%kx bloch%ky bloch%theta", -1,
        "the plane wave's band begins at %.4g Hz, and its waves are more than %g degrees from the normal below %.4g Hz and do not travel below %.4g Hz (its light line): "
        "what is near that leaves slowly, and layers return more of it; take less bandwidth, a higher frequency, or less k",
        own->lowest, steep, light / sin(steep * pi / 180), light);
}
