/* Vapour in air, in double: for base states, the state at the start, and what is shown. water.h has the stages'
 * formulas. Mixing ratios are kg per kg of dry air. R, cp, p00: of dry air. SPDX-License-Identifier: MIT */
#pragma once

#include "pipeline/sferic.h"

/* K, where es is at_zero and the heat of vaporisation `latent`. */
#define VAPOUR_ZERO 273.15

/* Constants of water: Rv, cpv, cl, J/kg/K; heat of vaporisation, J/kg; es = at_zero exp(slope (T - 273.15) / (T -
 * offset)), Pa. */
struct vapour {
    double Rv, cpv, cl, latent, at_zero, slope, offset;
};

/* At saturation over water, no more than half of the pressure being that of vapour. */
SF_FORMULA double vapour_saturated(const struct vapour *w, double R, double temperature, double pressure)
{
    const double es = w->at_zero * sfd_exp(w->slope * (temperature - VAPOUR_ZERO) / (temperature - w->offset));
    const double e = es < 0.5 * pressure ? es : 0.5 * pressure;
    return R / w->Rv * e / (pressure - e);
}

/* d ln es / dT, 1/K. */
SF_FORMULA double vapour_steepness(const struct vapour *w, double temperature)
{
    const double away = temperature - w->offset;
    return w->slope * (VAPOUR_ZERO - w->offset) / (away * away);
}

/* J/kg. */
SF_FORMULA double vapour_latent(const struct vapour *w, double temperature)
{
    return w->latent - (w->cl - w->cpv) * (temperature - VAPOUR_ZERO);
}

/* theta (1 + qv Rv/R) / (1 + qv + ql), ql: cloud and rain; of a temperature the density temperature. */
SF_FORMULA double vapour_theta_rho(const struct vapour *w, double R, double theta, double qv, double ql)
{
    return theta * (1 + w->Rv / R * qv) / (1 + (qv + ql));
}

/* Equivalent potential temperature of reversible ascent (Emanuel 1994, eq. 4.5.11), in saturated air that of Bryan and
 * Fritsch (2002, eq. 23). all: vapour, cloud and rain. */
SF_FORMULA double vapour_theta_e(const struct vapour *w, double R, double cp, double p00, double temperature,
                                 double pressure, double qv, double all)
{
    const double heat = cp + w->cl * all, dry = pressure / (1 + w->Rv / R * qv);
    const double share = qv / vapour_saturated(w, R, temperature, pressure);
    const double dryness = share > 0 ? sfd_pow(share, -w->Rv * qv / heat) : 1;
    return temperature * sfd_pow(p00 / dry, R / heat) * dryness *
           sfd_exp(vapour_latent(w, temperature) * qv / (heat * temperature));
}
