"""gprMax's commands: how many values they have, and who takes them. SPDX-License-Identifier: MIT"""
from collections import namedtuple

from . import gprmax_grid, gprmax_media, gprmax_output, gprmax_shapes, gprmax_sources
from .report import NOT_THERE, SAME

Command = namedtuple("Command", "least most form work single")
ANY = 10000


def taken(c, command):
    raise AssertionError(f"#{command.name} was not taken")


def said(how):
    def work(c, command):
        c.told(command, SAME, how)
    return work


def free(why):
    def work(c, command):
        c.told(command, SAME, f"no effect on the result: {why}")
    return work


def lacking(why):
    def work(c, command):
        c.told(command, NOT_THERE, why)
    return work


PYTHON = ("Python is not executed, and what its commands would make is lacking: let `python -m gprMax INPUT.in --geometry-only --write-processed` write "
          "them out, and import that file")
POINTS = "x1 y1 z1 x2 y2 z2"

COMMANDS = {
    "title": Command(0, ANY, "", said("&case title"), True),
    "domain": Command(3, 3, "x y z", taken, True),
    "dx_dy_dz": Command(3, 3, "dx dy dz", taken, True),
    "time_window": Command(1, 1, "seconds, or iterations", taken, True),
    "time_step_stability_factor": Command(1, 1, "a factor", taken, True),
    "messages": Command(1, 1, "y or n", free("-q of sferic run"), True),
    "num_threads": Command(1, 1, "threads", gprmax_grid.threads, True),
    "output_dir": Command(1, ANY, "a folder", free("--out of sferic run"), True),
    "python": Command(0, ANY, "", lacking(PYTHON), False),
    "end_python": Command(0, 0, "", lacking("it ends no #python"), False),
    "include_file": Command(1, 1, "a file", free("its commands follow"), False),
    "taguchi": Command(0, ANY, "", lacking("no optimisation: sferic run --set in a loop can do it"), True),
    "end_taguchi": Command(0, ANY, "", lacking("no optimisation"), True),
    "pml_cells": Command(1, 6, "one number, or six", taken, True),
    "pml_cfs": Command(12, 12, "twelve values", gprmax_grid.cfs, False),
    "pml_formulation": Command(1, 1, "HORIPML or MRIPML", gprmax_grid.formulation, True),
    "material": Command(5, 5, "epsilon sigma mu sigma* name", gprmax_media.material, False),
    "add_dispersion_debye": Command(4, ANY, "poles, pairs of strength and tau, names", gprmax_media.debye, False),
    "add_dispersion_lorentz": Command(5, ANY, "poles, triples of strength, frequency and damping, names", gprmax_media.lorentz, False),
    "add_dispersion_drude": Command(4, ANY, "poles, pairs of frequency and damping, names", gprmax_media.drude, False),
    "soil_peplinski": Command(7, 7, "sand clay density grains water water name", gprmax_media.peplinski, False),
    "box": Command(7, 9, POINTS + " material [y|n]", gprmax_shapes.box, False),
    "sphere": Command(5, 8, "x y z radius material [y|n]", gprmax_shapes.sphere, False),
    "cylinder": Command(8, 10, POINTS + " radius material [y|n]", gprmax_shapes.cylinder, False),
    "cylindrical_sector": Command(9, 11, "axis a b from to radius start angle material [y|n]", gprmax_shapes.sector, False),
    "edge": Command(7, 7, POINTS + " material", gprmax_shapes.edge, False),
    "plate": Command(7, 8, POINTS + " material", gprmax_shapes.plate, False),
    "triangle": Command(11, 13, "three corners, thickness, material [y|n]", gprmax_shapes.triangle, False),
    "fractal_box": Command(13, 15, POINTS + " dimension wx wy wz number material name [seed [y|n]]", gprmax_shapes.fractal, False),
    "add_surface_roughness": Command(12, 13, POINTS + " dimension w w from to box [seed]",
                                     lacking("the surface of the box is flat: echoes of its roughness are lacking"), False),
    "add_surface_water": Command(8, 8, POINTS + " depth box", lacking("no water on the surface: add a #box of water"), False),
    "add_grass": Command(11, 12, POINTS + " dimension from to blades box [seed]", lacking("no grass: its scattering is lacking"), False),
    "geometry_objects_read": Command(5, 6, "x y z file file [y|n]",
                                     lacking("the model of that file is lacking: &geometry file takes a netCDF file with medium(z, y, x)"), False),
    "geometry_objects_write": Command(7, 7, POINTS + " file", gprmax_output.geometry_write, False),
    "geometry_view": Command(11, 11, POINTS + " dx dy dz file n|f", gprmax_output.geometry_view, False),
    "waveform": Command(4, 4, "type amplitude frequency name", gprmax_sources.waveform, False),
    "excitation_file": Command(1, 3, "file [kind fill]", gprmax_sources.excitation_file, True),
    "hertzian_dipole": Command(5, 7, "x|y|z x y z waveform [start stop]", gprmax_sources.hertzian, False),
    "magnetic_dipole": Command(5, 7, "x|y|z x y z waveform [start stop]", gprmax_sources.magnetic, False),
    "voltage_source": Command(6, 8, "x|y|z x y z resistance waveform [start stop]", gprmax_sources.voltage, False),
    "transmission_line": Command(6, 8, "x|y|z x y z resistance waveform [start stop]", gprmax_sources.line, False),
    "rx": Command(3, ANY, "x y z [name outputs]", gprmax_output.receiver, False),
    "rx_array": Command(9, 9, POINTS + " dx dy dz", gprmax_output.receivers, False),
    "snapshot": Command(11, 11, POINTS + " dx dy dz time file", gprmax_output.snapshot, False),
    "src_steps": Command(3, 3, "dx dy dz", gprmax_output.steps, True),
    "rx_steps": Command(3, 3, "dx dy dz", gprmax_output.steps, True),
}

# Of release 4: what they are about, and what stands for it here.
LATER = {
    "omp_threads": "no effect on the result: `sferic run --set pipeline%threads=N`",
    "domain_mode": "a flat model has E along the flat axis", "symmetry_boundary": "a plane of symmetry: &boundary has 'pec' and 'pmc'",
    "pml_slab": "a layer within the domain",
    "cone": "a cone: &geometry shape = 'cone'", "ellipsoid": "an ellipsoid: &geometry shape = 'stl'",
    "thin_wire": "a wire with a radius: &geometry shape = 'wire'",
    "magnetic_edge": "an edge of a magnetic conductor", "surface_impedance": "a surface with an impedance: a film of a conductor stands for it",
    "material_density": "a density: &medium density", "material_from_database": "a medium of a library: &medium material or table",
    "material_range": "media by chance",
    "material_list": "media by chance", "material_crim": "a mixing model", "dispersive_averaging": "means at surfaces",
    "magnetic_averaging": "means of mu at surfaces",
    "plane_wave_angles": "a plane wave: &plane_wave", "plane_wave_axial": "a plane wave: &plane_wave",
    "plane_wave_vector": "a plane wave: &plane_wave",
    "discrete_plane_wave": "a plane wave: &plane_wave", "magnetic_frill_source": "a source on a coaxial line: &port kind = 'line'",
    "rx_port": "a record of a port: &port", "network_port": "a circuit: &element has R, L and C",
    "network_terminal": "a circuit: &element has R, L and C",
    "network_excitation": "a circuit: &element has R, L and C", "rational_network": "a circuit: &element has R, L and C",
    "sar": "absorption: &medium density, &monitor kind = 'fields'",
    "radiometry": "radiometry", "study": "several runs: sferic run --set in a loop", "array_codebook": "several runs",
    "subgrid_hsg": "finer cells in a part: &grid size_x, size_y, size_z",
    "virtual_waveguide": "a guide beyond the domain: &port kind = 'guide'",
}
FAMILIES = {"ntff_": "far fields: &monitor kind = 'far'", "ksir_": "far fields: &monitor kind = 'far'",
            "eigenmode_": "modes of guides: &port kind = 'guide' or 'line', &source kind = 'mode'"}
COMMANDS |= {name: Command(0, ANY, "", said(why) if name == "omp_threads" else lacking("left out: " + why), False) for name, why in LATER.items()}

SHAPES = {"box", "sphere", "cylinder", "cylindrical_sector", "edge", "plate", "triangle", "fractal_box"}
EARLY = ({"material", "soil_peplinski"}, {"add_dispersion_debye", "add_dispersion_lorentz", "add_dispersion_drude"}, SHAPES,
         {"waveform", "excitation_file"})


def later_find(name):
    """Why a command of a family of release 4 is not there; None: it is unknown."""
    return next(("left out: " + why for start, why in FAMILIES.items() if name.startswith(start)), None)


PASSES = (*EARLY, set(COMMANDS).difference(*EARLY))  # shapes in their order: the later cover the earlier
