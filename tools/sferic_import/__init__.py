"""Cases of other programs as namelists of sferic, with a table of what became of every setting. Standard library only.

    options   the command line
    main      what it asks for, done: read, translate, write, check
    report    the table: same, near, not there, unknown
    deck      a namelist of sferic as it grows, and its text
    source    texts that are read: what they may be, and where a line stands
    fortran   namelists of Fortran, with the place of every value
    cm1       CM1: its namelist.input as a whole
    cm1_air, cm1_grid, cm1_sides    base state, wind and start; grid; sides, ground and damping
    cm1_table     what each setting of CM1 becomes
    sounding  input_sounding, read and written
    gprmax    gprMax: its .in file as a whole
    gprmax_commands   its commands, their arguments and who takes them
    gprmax_grid, gprmax_media, gprmax_shapes, gprmax_sources, gprmax_output    those of each kind

A program's names and what they become stand in tables; functions are for what takes more than one setting. SPDX-License-Identifier: MIT
"""
