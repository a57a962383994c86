"""How centres name what a start needs: tables, in the order of preference. Quantities of levels are height, temperature, u, v,
mixing_ratio, specific_humidity, relative_humidity and, on levels of a model, pressure; those of the ground have the names of
GROUND. SPDX-License-Identifier: MIT
"""
from .moisture import G

GROUND = ("terrain", "land", "surface_pressure", "mean_sea_level_pressure", "surface_temperature", "sea_surface_temperature", "air_temperature_2m")
FIXED = ("terrain", "land")  # files may have them at one time alone

# (shortName, typeOfLevel) of ecCodes: quantity, factor to SI. Levels of air have no level here.
GRIB_LEVELS = {
    "gh": ("height", 1), "z": ("height", 1 / G), "t": ("temperature", 1), "u": ("u", 1), "v": ("v", 1), "q": ("specific_humidity", 1), "r": ("relative_humidity", 0.01),
}
GRIB_PRESSURE = {"isobaricInhPa": 100, "isobaricInPa": 1}
GRIB_GROUND = (
    ("orog", "surface", "terrain", 1), ("gh", "surface", "terrain", 1), ("z", "surface", "terrain", 1 / G),
    ("lsm", "surface", "land", 1), ("land", "surface", "land", 1), ("landn", "surface", "land", 1),
    ("sp", "surface", "surface_pressure", 1), ("pres", "surface", "surface_pressure", 1),
    ("mslet", "meanSea", "mean_sea_level_pressure", 1), ("mslma", "meanSea", "mean_sea_level_pressure", 1),
    ("prmsl", "meanSea", "mean_sea_level_pressure", 1), ("msl", "meanSea", "mean_sea_level_pressure", 1), ("msl", "surface", "mean_sea_level_pressure", 1),
    ("skt", "surface", "surface_temperature", 1), ("t", "surface", "surface_temperature", 1),
    ("sst", "surface", "sea_surface_temperature", 1), ("2t", "heightAboveGround", "air_temperature_2m", 1), ("2t", "surface", "air_temperature_2m", 1),
)

# Names of netCDF variables, those of the stores of ERA5, of THREDDS and of small archives; then CF standard names.
NETCDF_LEVELS = {
    "height": (("gh", "hgt", "Geopotential_height_isobaric", "Geopotential_height", "z", "Geopotential_isobaric", "geopotential"), ("geopotential_height", "geopotential")),
    "temperature": (("t", "air", "Temperature_isobaric", "Temperature", "temperature", "ta"), ("air_temperature",)),
    "u": (("u", "uwnd", "u-component_of_wind_isobaric", "u_wind", "u_component_of_wind", "ua"), ("eastward_wind", "x_wind")),
    "v": (("v", "vwnd", "v-component_of_wind_isobaric", "v_wind", "v_component_of_wind", "va"), ("northward_wind", "y_wind")),
    "specific_humidity": (("q", "shum", "Specific_humidity_isobaric", "Specific_humidity", "specific_humidity", "hus"), ("specific_humidity",)),
    "relative_humidity": (("r", "rhum", "Relative_humidity_isobaric", "Relative_humidity", "relative_humidity", "hur"), ("relative_humidity",)),
    "mixing_ratio": (("mixing_ratio",), ("humidity_mixing_ratio",)),
}
NETCDF_GROUND = {
    "terrain": (("orog", "Geopotential_height_surface", "terrain_height", "z_surface", "z"), ("surface_altitude",)),
    "land": (("lsm", "Land_cover_0__sea_1__land_surface", "Land_cover_binary_mask_surface", "land_fraction"), ("land_binary_mask", "land_area_fraction")),
    "surface_pressure": (("sp", "Pressure_surface", "surface_pressure"), ("surface_air_pressure",)),
    "mean_sea_level_pressure": (("msl", "MSLP_Eta_model_reduction_msl", "Pressure_reduced_to_MSL_msl", "mslp"), ("air_pressure_at_mean_sea_level", "air_pressure_at_sea_level")),
    "surface_temperature": (("skt", "Temperature_surface"), ("surface_temperature",)),
    "sea_surface_temperature": (("sst",), ("sea_surface_temperature",)),
    "air_temperature_2m": (("t2m", "Temperature_height_above_ground"), ()),
}

# Units: factor and offset to SI, by what they measure.
LENGTH = {"m": (1, 0), "meter": (1, 0), "metre": (1, 0), "meters": (1, 0), "metres": (1, 0), "gpm": (1, 0), "km": (1000, 0), "dam": (10, 0)}
POTENTIAL = {u: (1 / G, 0) for u in ("m2 s-2", "m**2 s**-2", "m2/s2", "m^2/s^2", "m^2 s^-2", "J kg-1")}
KELVIN = {"K": (1, 0), "kelvin": (1, 0), "Kelvin": (1, 0), "degK": (1, 0), "degC": (1, 273.15), "C": (1, 273.15), "celsius": (1, 273.15), "Celsius": (1, 273.15)}
SPEED = {u: (1, 0) for u in ("m s-1", "m/s", "m s**-1", "m s^-1", "m.s-1", "meter second-1")}
SHARE = {"1": (1, 0), "kg kg-1": (1, 0), "kg kg**-1": (1, 0), "kg/kg": (1, 0), "kg.kg-1": (1, 0), "g kg-1": (1e-3, 0), "g/kg": (1e-3, 0), "%": (0.01, 0), "percent": (0.01, 0),
         "(0 - 1)": (1, 0), "0 or 1": (1, 0), "": (1, 0)}
PRESSURE = {"Pa": (1, 0), "hPa": (100, 0), "mbar": (100, 0), "mb": (100, 0), "millibar": (100, 0), "millibars": (100, 0), "hectopascals": (100, 0), "kPa": (1000, 0)}
UNITS = {
    "height": {**LENGTH, **POTENTIAL}, "temperature": KELVIN, "u": SPEED, "v": SPEED, "specific_humidity": SHARE, "mixing_ratio": SHARE, "relative_humidity": SHARE,
    "terrain": {**LENGTH, **POTENTIAL}, "land": SHARE, "surface_pressure": PRESSURE, "mean_sea_level_pressure": PRESSURE, "surface_temperature": KELVIN,
    "sea_surface_temperature": KELVIN, "air_temperature_2m": KELVIN,
}
DEGREES = {"north": ("degrees_north", "degree_north", "degrees_N", "degree_N"), "east": ("degrees_east", "degree_east", "degrees_E", "degree_E")}
# Names of map projections in CF: of the program, with the attributes of standard parallel, meridian and origin.
MAPPINGS = {"lambert_conformal_conic": ("lambert", "longitude_of_central_meridian"),
            "polar_stereographic": ("polar_stereographic", "straight_vertical_longitude_from_pole"),
            "mercator": ("mercator", "longitude_of_projection_origin"),
            "latitude_longitude": ("latitude_longitude", "longitude_of_central_meridian")}

# MAP_PROJ of WRF's files.
WRF_PROJECTIONS = {1: "lambert", 2: "polar_stereographic", 3: "mercator"}
WRF_RADIUS = 6370000.0  # m
# Variables of wrfout, whose pressure, height and temperature wrf.py makes of several, and of met_em.
WRFOUT_LEVELS = {"height": "PH", "pressure": "P", "temperature": "T", "u": "U", "v": "V", "mixing_ratio": "QVAPOR"}
WRFOUT_GROUND = {"terrain": "HGT", "land": "LANDMASK", "surface_pressure": "PSFC", "surface_temperature": "TSK", "air_temperature_2m": "T2"}
MET_EM_LEVELS = {"height": "GHT", "pressure": "PRES", "temperature": "TT", "u": "UU", "v": "VV", "relative_humidity": "RH"}
MET_EM_GROUND = {"terrain": "SOILHGT", "land": "LANDMASK", "surface_pressure": "PSFC", "mean_sea_level_pressure": "PMSL", "surface_temperature": "SKINTEMP"}
