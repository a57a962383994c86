#!/bin/bash
# Are instructions counted along the usual way through a kernel? tools/sass_count.py on listings in the form of cuobjdump's.
# SPDX-License-Identifier: MIT
set -euo pipefail
cd "$(dirname "$0")/.."
if ! command -v python3 >/dev/null; then
    echo 'no python3: nothing is counted, in builds neither'
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

# counts WHAT EXPECTED: the rows of the listing on standard input
counts() {
    sed 's/$/    \/* 0x000fe200078e00ff *\//' >"$work/listing"
    tools/sass_count.py "$work/listing" | grep '^SASS' >"$work/rows" || true
    if ! diff <(printf '%s' "$2${2:+
}") "$work/rows" >"$work/difference"; then
        echo "FAILED: $1"
        cat "$work/difference"
        bad=1
    fi
}

# A thread outside of the box ends at once; one inside computes a point.
counts 'a point a thread' 'SASS("point", 0, 1, SHORTEST, 0, 0, 0, 0, 2, 0)
SASS("point", 0, 1, SHORTEST, 1, 2, 2, 2, 3, 0)' <<'END'
		Function : point
	.headerflags	@"EF_CUDA_SM90"
        /*0000*/                   ISETP.GE.AND P0, PT, R0, UR5, PT ;
        /*0010*/               @P0 EXIT ;
        /*0020*/                   LDG.E R2, desc[UR4][R4.64] ;
        /*0030*/                   FMUL R3, R2, 2 ;
        /*0040*/                   FFMA R3, R3, R2, 1 ;
        /*0050*/                   STG.E desc[UR4][R6.64], R3 ;
        /*0060*/                   EXIT ;
        /*0070*/                   BRA 0x70;
        /*0080*/                   NOP;
END

# A layer that few points lie in stores more; a slow way of a division, a call, is not the usual one.
counts 'a rare branch' 'SASS("layers", 0, 1, SHORTEST, 0, 0, 0, 0, 4, 0)
SASS("layers", 1, 1, SHORTEST, 2, 1, 2, 4, 3, 0)
SASS("layers", 1, 1, SHORTEST, 3, 2, 4, 6, 3, 0)' <<'END'
		Function : layers
        /*0000*/                   MOV R0, RZ ;
        /*0010*/                   LDC R8, c[0x0][0x210] ;
        /*0020*/                   MOV R9, RZ ;
        /*0030*/                   LDG.E.64 R2, desc[UR4][R4.64] ;
        /*0040*/                   FADD R3, R2, R3 ;
        /*0050*/                   STG.E.64 desc[UR4][R4.64], R2 ;
        /*0060*/              @!P1 BRA 0xa0 ;
        /*0070*/                   LDG.E R6, desc[UR4][R10.64] ;
        /*0080*/                   FADD R6, R6, R3 ;
        /*0090*/                   STG.E desc[UR4][R10.64], R6 ;
        /*00a0*/                   IADD3 R0, R0, 0x1, RZ ;
        /*00b0*/               @P0 BRA P2, 0x30 ;
        /*00c0*/                   EXIT ;
END

# What unrolling by four left over, and the loop itself; then another loop, which stores into shared memory.
counts 'an unrolled loop' 'SASS("columns", 0, 1, SHORTEST, 0, 0, 0, 0, 2, 0)
SASS("columns", 1, 4, SHORTEST, 4, 4, 8, 8, 2, 0)
SASS("columns", 2, 1, SHORTEST, 0, 3, 1, 4, 1, 0)' <<'END'
		Function : columns
        /*0000*/                   MOV R0, RZ ;
        /*0010*/                   LDG.E R2, desc[UR4][R4.64] ;
        /*0020*/                   DFMA R2, R2, R2, R2 ;
        /*0030*/                   STG.E desc[UR4][R4.64], R2 ;
        /*0040*/               @P0 BRA 0x10 ;
        /*0050*/                   IADD3 R0, R0, 0x4, RZ ;
        /*0060*/                   LDG.E R2, desc[UR4][R4.64] ;
        /*0070*/                   LDG.E R3, desc[UR4][R4.64+0x4] ;
        /*0080*/                   LDG.E R6, desc[UR4][R4.64+0x8] ;
        /*0090*/                   LDG.E R7, desc[UR4][R4.64+0xc] ;
        /*00a0*/                   DFMA R2, R2, R2, R2 ;
        /*00b0*/                   DFMA R3, R3, R3, R3 ;
        /*00c0*/                   DFMA R6, R6, R6, R6 ;
        /*00d0*/                   DFMA R7, R7, R7, R7 ;
        /*00e0*/                   STG.E desc[UR4][R4.64], R2 ;
        /*00f0*/                   STG.E desc[UR4][R4.64+0x4], R3 ;
        /*0100*/                   STG.E desc[UR4][R4.64+0x8], R6 ;
        /*0110*/                   STG.E desc[UR4][R4.64+0xc], R7 ;
        /*0120*/               @P1 BRA 0x50 ;
        /*0130*/                   DADD R8, R8, R2 ;
        /*0140*/                   DADD R8, R8, R2 ;
        /*0150*/                   DMUL R8, R8, R2 ;
        /*0160*/                   STS.128 [R9], R8 ;
        /*0170*/               @P2 BRA 0x130 ;
        /*0180*/                   EXIT ;
END

# A loop in a loop is taken once; listings of no kernel, or of one without instructions, give no rows.
counts 'a loop in a loop' 'SASS("nested", 0, 1, SHORTEST, 0, 0, 0, 0, 1, 0)
SASS("nested", 1, 1, SHORTEST, 1, 1, 1, 1, 3, 0)' <<'END'
		Function : empty
		Function : nested
        /*0000*/                   MOV R1, RZ ;
        /*0010*/                   FADD R1, R1, R2 ;
        /*0020*/               @P0 BRA 0x10 ;
        /*0030*/                   STG.E desc[UR4][R4.64], R2 ;
        /*0040*/               @P1 BRA 0x0 ;
        /*0050*/                   EXIT ;
END

# Where stores are guarded by different predicates, ways are told apart by their arithmetic. Of two that store as much, both are shown.
counts 'guarded stores' 'SASS("guarded", 0, 1, GUARDED, 0, 1, 2, 2, 2, 0)
SASS("guarded", 0, 1, GUARDED, 0, 2, 3, 3, 2, 0)
SASS("two", 0, 1, SHORTEST, 1, 1, 1, 1, 2, 0)
SASS("two", 0, 1, LONGEST, 1, 2, 1, 1, 3, 0)' <<'END'
		Function : guarded
        /*0000*/                   FADD R1, R1, R2 ;
        /*0010*/               @P0 BRA 0x40 ;
        /*0020*/                   FADD R1, R1, R2 ;
        /*0030*/                   LDS R3, [R4] ;
        /*0040*/               @P1 STG.E desc[UR4][R4.64], R1 ;
        /*0050*/              @!P1 STG.E desc[UR4][R4.64+0x4], R1 ;
        /*0060*/                   EXIT ;
		Function : two
        /*0000*/               @P0 BRA 0x30 ;
        /*0010*/                   FADD R1, R1, R2 ;
        /*0020*/                   MOV R1, R2 ;
        /*0030*/                   FADD R1, R1, R2 ;
        /*0040*/                   STG.E desc[UR4][R4.64], R1 ;
        /*0050*/                   EXIT ;
END

# One guard of all stores is that of threads at an edge.
counts 'one guard' 'SASS("edge", 0, 1, SHORTEST, 3, 2, 2, 3, 1, 0)' <<'END'
		Function : edge
        /*0000*/                   FADD R1, R1, R2 ;
        /*0010*/               @P1 STG.E desc[UR4][R4.64], R1 ;
        /*0020*/                   FADD R6, R6, R2 ;
        /*0030*/               @P1 STG.E.64 desc[UR4][R4.64+0x8], R6 ;
        /*0040*/                   EXIT ;
END

# One warp asks for all: in the loop, and before it. An election that no warp goes past, or a loop that begins with one, is on the way.
counts 'one warp for all' 'SASS("all", 0, 1, SHORTEST, 1, 0, 1, 1, 3, 0)
SASS("all", 0, 1, LONGEST, 1, 0, 1, 1, 4, 0)
SASS("aside", 0, 1, SHORTEST, 0, 0, 0, 0, 3, 3)
SASS("aside", 1, 1, SHORTEST, 1, 1, 1, 1, 2, 4)
SASS("loop", 0, 1, SHORTEST, 1, 0, 1, 1, 2, 0)
SASS("loop", 1, 1, SHORTEST, 0, 1, 0, 0, 3, 0)
SASS("loop", 1, 1, LONGEST, 0, 1, 0, 0, 4, 0)' <<'END'
		Function : aside
        /*0000*/                   MOV R0, RZ ;
        /*0010*/               @P0 BRA 0x50 ;
        /*0020*/                   ELECT P1, URZ, PT ;
        /*0030*/              @!P1 BRA 0x50 ;
        /*0040*/                   UTMALDG.3D [UR8], [UR14] ;
        /*0050*/                   FADD R2, R2, R3 ;
        /*0060*/               @P2 BRA 0xb0 ;
        /*0070*/                   ELECT P1, URZ, PT ;
        /*0080*/              @!P1 BRA 0xa0 ;
        /*0090*/                   UTMALDG.3D [UR8], [UR14] ;
        /*00a0*/                   NOP ;
        /*00b0*/                   STG.E desc[UR4][R4.64], R2 ;
        /*00c0*/               @P3 BRA 0x50 ;
        /*00d0*/                   EXIT ;
		Function : all
        /*0000*/                   ELECT P1, URZ, PT ;
        /*0010*/              @!P1 BRA 0x30 ;
        /*0020*/                   UTMALDG.3D [UR8], [UR14] ;
        /*0030*/                   STG.E desc[UR4][R4.64], R2 ;
        /*0040*/                   EXIT ;
		Function : loop
        /*0000*/               @P0 BRA 0x50 ;
        /*0010*/                   ELECT P1, URZ, PT ;
        /*0020*/              @!P1 BRA 0x40 ;
        /*0030*/                   UTMALDG.3D [UR8], [UR14] ;
        /*0040*/                   FADD R2, R2, R3 ;
        /*0048*/               @P2 BRA 0x10 ;
        /*0050*/                   STG.E desc[UR4][R4.64], R2 ;
        /*0060*/                   EXIT ;
END
counts 'nothing' '' </dev/null
exit $bad
