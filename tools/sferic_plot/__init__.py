"""Pictures from the output folders of sferic runs, and numbers that are found in them.

    options   the command line
    main      what it asks for, done: pictures, movies, comparisons, redrawing
    view      which fields and planes to show, and the page they make
    weather   small panels of the weather model: extremes, drift, base state
    storm     what a run with rain shows: reflectivity with updrafts and cloud, cold pool, rain, heights over time
    earth     runs on a map: a weather map with pressure at sea level, wind and rain
    sea_level the lowest cells, and pressure at sea level from them
    sounding  a moist base state on a skew-T diagram, and a parcel lifted through it
    turbulence    profiles and spectra of statistics.nc
    bands     what other models have of the cases that papers compare
    waves     panels of the EM model: dominant component, probes and spectra, energy, flux, DFT planes
    far       polar cuts of the far field
    ports     scattering parameters, Smith chart, input impedance
    compare   two runs and their difference
    timeline  what each rank's lanes did when
    block     one variable on one plane at several times, on one colour scale
    terrain   heights of cells over hills, the ground in sections, plans of one height
    layout    the page: rows, columns, colour bars, small panels
    colours   the diverging colour map
    read      output folders: frames, fields, planes, the lines beside them
    spectrum  the files of the running DFT, read as frames
    start     how the programs begin: under a python3 that has the modules
    sources   when the sources of a run are over, by its namelist
    pencil    decaying waves that traces are the sum of
    resonances, resonances_options    what sferic-resonances does, and its command line
    bscan, bscan_options    what sferic-bscan does, and its command line
    program   where sferic is
    places    edges of cells, the nearest, values between them
    words     numbers, units and what goes wrong, as text

Colours have one scale over all times and planes of a variable: symmetric about zero for signed quantities,
never finer than a floor below which a field is round-off. Positions and sizes on the page are in inches,
y down from the top. SPDX-License-Identifier: MIT
"""
