/* prog_gpu_weather on an emulated GPU of compute capability 8.0, without a copy engine. SPDX-License-Identifier: MIT */
#undef SF_EMULATE
#define SF_EMULATE 80
#include "prog_gpu_weather.cu"
