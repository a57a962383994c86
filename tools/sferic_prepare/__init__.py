"""What another centre analysed or forecast, on the columns of a case: what tools/sferic-prepare does.

    options     the command line
    main        the work, from the namelist to three files
    namelist    the groups of a namelist, and the case: grid, map, lid
    projection  maps of a sphere that keep angles
    grids       where the columns of the case lie among the points of a source, and which of these are read
    names       how the centres name quantities, levels and units
    grib, netcdf, wrf    which fields a file holds, and their values
    source      the files of one source together: its times, and the air of one
    moisture    vapour from humidity, saturation
    columns     from the source's levels to heights
    checks      what is refused, and what is warned of
    terrain     the ground under the case, from a finer file and from the source
    driver      the files that are written

Arrays are (level, y, x), levels from the ground up; SI units, degrees for places. It shares words and the start of programs with
the package sferic_plot. SPDX-License-Identifier: MIT
"""
