"""Runs in the browser: a page on 127.0.0.1 that shows output folders.

    options   the command line
    start     a python3 that has the modules
    main      the server, from its first line on the terminal to its end
    guard     who is served: whoever has the token
    runs      output folders that are open, looked at anew while runs write them
    scene     what is shown: variable, section, time, one run or two; without a word of how
    raster    planes as pictures of even pixels
    drawing   planes, curves and panels as figures of Bokeh
    solid     a variable in three dimensions
    page      controls and figures together, one for each open page
    command   the line of sferic-plot that draws what is shown, and its picture
    index     the first page: runs and cases that are there
    start_page    the page of a case, whose parts for the browser are in web/
    namelist  a namelist as a text that is edited
    files     namelists that come with the program, and whether a file is one
    cases     namelists opened, checked and saved
    jobs      runs that the page starts

What is read, in which units, on which scale and in which colours it is shown, is what sferic_plot does. Planes are read one at
a time from files that are opened for that and closed again: nothing is kept open that a run might write, and of a large file only what is
seen is read. SPDX-License-Identifier: MIT
"""
