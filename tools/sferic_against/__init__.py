"""A run on a map of the Earth beside what was observed: what tools/sferic-against does.

    options     the command line
    main        the work, from the observations to the table
    observed    the file of observations: lines, quantities, units, times
    forecast    what a run has at a place and a time
    low         where a low lies from frame to frame
    scores      differences, their mean and rms, and those of persistence

Places are degrees north and east, times UTC. It shares the reading of output with the package sferic_plot and maps of the Earth with
sferic_prepare. SPDX-License-Identifier: MIT
"""
