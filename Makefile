# Sferic: the one Makefile. `make help` lists targets and options; nothing is configured beforehand.
#
# A build lives in build/<variant>, named after what changes its objects, so that variants never mix. `demo` and `test`
# first install what the machine lacks and then start make anew: everything below that asks the compiler or pkg-config
# is skipped for targets that must work without them.
# SPDX-License-Identifier: MIT

VERSION := 0.1.0

.DEFAULT_GOAL := all
.SUFFIXES:
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

# ---- options ---------------------------------------------------------------------------------------------------------

ifeq ($(origin CC),default)
CC := gcc
endif
PREC ?= 32
MPI ?= auto
CUDA ?= auto
ARCH ?= native
CUDA_ARCH ?= 80 90
WERROR ?= 0
V ?= 0
CFLAGS ?=
LDFLAGS ?=
# Internal: address, thread or fuzz make an instrumented variant; LINK=0 leaves build/sferic where it leads.
SAN ?=
LINK ?= 1
# Names of test_*.c without prefix and suffix; empty: all of them. Scripts that `make check` runs as tests: every one
# in tests/ but helpers (support_*.sh). Scripts with a long form that `make verify-full` asks for by SF_FULL=1.
TESTS ?=
all_shell := $(filter-out tests/support_%.sh,$(sort $(wildcard tests/*.sh)))
# Those whose head says `# Full: ` and why take minutes each: `make check-full` runs them, and .ci/run.
full_shell := $(if $(all_shell),$(shell grep -l '^\# Full: ' $(all_shell)))
SHELL_TESTS ?= $(filter-out $(full_shell),$(all_shell))
FULL_TESTS ?= $(sort $(wildcard tests/bits*.sh tests/matrix*.sh))
FUZZ_SECONDS ?= 60
DEMO := namelists/norman_2011.nml
DEMO_EM := namelists/dipole.nml
FORECAST := namelists/florence_2018

prefix ?= /usr/local
bindir ?= $(prefix)/bin
datadir ?= $(prefix)/share/sferic
docdir ?= $(prefix)/share/doc/sferic
DESTDIR ?=

ifneq ($(filter-out 32 64,$(PREC)),)
$(error PREC=$(PREC): choose 32 or 64)
endif
ifneq ($(filter-out auto 0 1,$(MPI)),)
$(error MPI=$(MPI): choose auto, 0 or 1)
endif
ifneq ($(filter-out auto 0 1 emulate,$(CUDA)),)
$(error CUDA=$(CUDA): choose auto, 0, 1, or emulate: a GPU emulated on the CPU, for tests)
endif
ifneq ($(filter-out address thread fuzz,$(SAN)),)
$(error SAN=$(SAN): choose address, thread or fuzz)
endif
ifneq ($(filter -Ofast -f%fast-math -funsafe-math-optimizations -ffp-contract=fast,$(CFLAGS)),)
$(error CFLAGS=$(CFLAGS): no fast-math: results must have the same bits however the domain is cut)
endif

# Targets that need no compiler, or start make again once there is one.
bare_goals := deb deb-alone test test-full test-gpu demo forecast sanitize fuzz flops verify-full help clean dist format format-check install-plot install-view uninstall site gallery
goals := $(or $(MAKECMDGOALS),$(.DEFAULT_GOAL))
build_goals := $(filter-out $(bare_goals),$(goals))

Q := $(if $(filter 1,$(V)),,@)
say = @$(if $(filter 1,$(V)),:,printf '  %-5s %s\n')

src := $(sort $(wildcard src/main.c src/*/*.c))
cu := $(sort $(wildcard src/*/*.cu))

# ---- what this machine has -------------------------------------------------------------------------------------------

ifneq ($(build_goals),)

hash := \#
run = $(shell { $(1) ; } 2>/dev/null)
accepts = $(if $(filter ok,$(shell printf '$(2)' | $(CC) $(1) -E -x c - >/dev/null 2>&1 && echo ok)),$(1))
pkg = $(or $(call run,pkg-config $(1) $(2)),$(3))
# Other people's headers need not pass our warnings.
system = $(patsubst -I%,-isystem %,$(1))

compiler := $(call run,$(CC) --version | head -n 1)
ifeq ($(compiler),)
$(error no compiler '$(CC)': tools/setup.sh installs what is missing, `make test` and `make demo` call it)
endif
is_clang := $(findstring clang,$(compiler))

mpicc := $(call run,command -v mpicc)
mpi := $(if $(filter auto,$(MPI)),$(if $(mpicc),1,0),$(MPI))
ifeq ($(mpi),1)
mpi_cflags := $(call system,$(or $(call run,mpicc --showme:compile),$(call run,pkg-config --cflags ompi-c)))
mpi_libs := $(or $(call run,mpicc --showme:link),$(call run,pkg-config --libs ompi-c))
ifeq ($(mpi_libs),)
$(error MPI=$(MPI): no Open MPI found by mpicc or pkg-config: apt-get install -y libopenmpi-dev openmpi-bin, or MPI=0)
endif
endif

NVCC ?= $(or $(call run,command -v nvcc),$(wildcard /usr/local/cuda/bin/nvcc))
emulate := $(filter emulate,$(CUDA))
ifeq ($(CUDA),1)
ifeq ($(NVCC),)
$(error CUDA=1: no nvcc on PATH or in /usr/local/cuda/bin; put it on PATH, set NVCC=, or build with CUDA=0)
endif
ifeq ($(cu),)
$(error CUDA=1: this source tree holds no src/*/*.cu)
endif
endif
# What launch.h has once in a process: libraries that kernels of a model lie in find the program's.
launch_shared := launch_noted launch_overlaps launch_last
cuda := $(if $(emulate),1,$(if $(filter 0,$(CUDA)),0,$(if $(NVCC),$(if $(cu),1,0),0)))
ifneq ($(emulate),)
# The C++ compiler that goes with CC, or the one that was asked for, in nvcc's place: tests/emulate/cuda_runtime.h.
ifneq ($(origin CXX),default)
cxx := $(CXX)
else
cxx := $(patsubst %gcc,%g++,$(patsubst %clang,%clang++,$(lastword $(CC))))
endif
cuda_libs := -rdynamic -lstdc++
emulate_src := $(sort $(wildcard tests/emulate/*.cc))
else ifeq ($(cuda),1)
cuda_home := $(patsubst %/bin/nvcc,%,$(realpath $(NVCC)))
# Machine code for each of CUDA_ARCH that this nvcc knows, and PTX of the last for devices yet to come.
cuda_archs := $(filter $(CUDA_ARCH),$(patsubst compute_%,%,$(call run,$(NVCC) --list-gpu-arch)))
ifeq ($(cuda_archs),)
$(error CUDA_ARCH=$(CUDA_ARCH): $(NVCC) knows none of these)
endif
cuda_last := $(lastword $(cuda_archs))
# The kernels' instructions are counted in the machine code of one of them, where there is a disassembler.
CUOBJDUMP ?= $(or $(call run,command -v cuobjdump),$(wildcard $(cuda_home)/bin/cuobjdump))
sass_arch := sm_$(firstword $(filter 90,$(cuda_archs)) $(cuda_archs))
gencode := $(foreach a,$(cuda_archs),-gencode arch=compute_$(a),code=sm_$(a)) \
    -gencode arch=compute_$(cuda_last),code=compute_$(cuda_last)
cuda_libs := -L$(firstword $(wildcard $(cuda_home)/lib64 $(cuda_home)/targets/*/lib) $(cuda_home)/lib) \
    -lcudart_static -lstdc++ -ldl -lrt $(launch_shared:%=-Wl,--export-dynamic-symbol=%)
endif

# ---- variant and flags -----------------------------------------------------------------------------------------------

cc_name := $(notdir $(lastword $(filter-out -%,$(CC))))
variant := $(cc_name)-$(PREC)-$(if $(filter 1,$(mpi)),mpi,serial)-$(or $(emulate),$(if $(filter 1,$(cuda)),cuda,cpu))-$(ARCH)$(SAN:%=-%)
B := build/$(variant)

wide := $(if $(filter native,$(ARCH)),$(call accepts,-mprefer-vector-width=512))
openmp := $(call accepts,-fopenmp,$(hash)include <omp.h>)
# ThreadSanitizer takes the OpenMP runtime's own waiting for races: teams are POSIX threads there (engine_sweep.c).
ifneq ($(filter thread,$(SAN)),)
openmp :=
endif

# An emulated GPU is compiled to be tested: to go on to -O3 takes longer than it saves.
optimise_ := $(if $(filter emulate,$(CUDA)),-O2,-O3)
# And a test itself runs for a second.
of_tests = $(patsubst -O2,-O1,$(patsubst -O3,-O1,$(1)))
# Backtraces need lines; to follow variables takes longer than to compile. Formulas stay functions: put in place, with all accesses watched,
# those of terrain_moist_made.c take a minute to compile.
watched := -O1 -g1 -fno-omit-frame-pointer -Dalways_inline=
optimise_address := $(watched) -fsanitize=address,undefined -fno-sanitize-recover=all
optimise_thread := $(watched) -fsanitize=thread
optimise_fuzz := $(watched) -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all

warn := -Wall -Wextra -Wconversion $(if $(openmp),,-Wno-unknown-pragmas) $(if $(filter 1,$(WERROR)),-Werror)
# Same bits on every machine: nothing contracted, nothing reassociated; the two -fno- flags change no value.
math := -ffp-contract=off -fno-math-errno -fno-trapping-math
# A choice that is the same along a line is made once before its loop, however long the loop's formula is: else gcc leaves it in the loop, and
# the loop in scalars.
unswitch := $(if $(is_clang),,$(call accepts,--param max-unswitch-insns=1000))
code := -std=gnu11 $(optimise_$(SAN)) -march=$(ARCH) $(wide) $(CFLAGS) $(math) $(unswitch) $(or $(openmp),-fopenmp-simd) -pthread
# SF_EMULATE: the compute capability of the emulated GPU, times ten.
defs := -DSF_PREC=$(PREC) -DSF_MPI=$(mpi) -DSF_CUDA=$(cuda) $(if $(emulate),-DSF_EMULATE=90)
includes := -Isrc -I$(B) $(call system,$(call pkg,--cflags,netcdf)) $(mpi_cflags) \
    $(if $(emulate),-Itests/emulate,$(if $(filter 1,$(cuda)),-isystem $(cuda_home)/include))
compile := $(CC) $(strip $(code)) $(warn) $(defs) $(includes) -MMD -MP

# nvcc's own defaults for division, square root and denormals are the exact ones; they are spelt out to stay so.
nvcc_compile := $(NVCC) -std=c++17 -O3 -fmad=false -prec-div=true -prec-sqrt=true -ftz=false $(gencode) \
    -ccbin $(if $(is_clang),g++,$(lastword $(CC))) -Xcompiler -ffp-contract=off,-Wall,-Wextra \
    $(if $(filter 1,$(WERROR)),-Werror all-warnings) $(defs) -Isrc -I$(B) -MMD -MP
emulate_compile := $(cxx) -std=gnu++17 $(filter-out -std=%,$(code)) -Wall -Wextra -Wno-unknown-pragmas $(if $(filter 1,$(WERROR)),-Werror) \
    $(defs) -Isrc -I$(B) -Itests/emulate -MMD -MP
cu_compile := $(strip $(if $(emulate),$(emulate_compile) -x c++,$(nvcc_compile)))

# How kernels of a model from a file are compiled when sferic runs, behind the compiler's name.
model_kernels := $(if $(emulate),$(filter-out -M%,$(patsubst -I%,-I$(CURDIR)/%,$(filter-out -W%,$(wordlist 2,99,$(emulate_compile))))) -fPIC -x c++,\
    -std=c++17 -O3 -fmad=false -prec-div=true -prec-sqrt=true -ftz=false $(gencode) -Xcompiler -ffp-contract=off -Xcompiler -fPIC $(defs))
libs := -Wl,--as-needed $(mpi_libs) $(call pkg,--libs,netcdf,-lnetcdf) $(call pkg,--libs,libxxhash,-lxxhash) \
    $(cuda_libs) -ldl -lm
# A linker that takes a third of the time, for the hundred and more programs of tests.
quick_link := $(if $(filter 1,$(cuda)),,$(if $(call run,command -v ld.gold),-fuse-ld=gold))
criterion_cflags := $(call system,$(call pkg,--cflags,criterion))
criterion_libs := $(call pkg,--libs,criterion,-lcriterion)

# Kernels take longest: they come first, and nobody waits for the last of them alone.
obj := $(if $(filter 1,$(cuda)),$(cu:%.cu=$(B)/%.cu.o)) $(src:%.c=$(B)/%.o) $(emulate_src:%.cc=$(B)/%.o)
lib := $(filter-out $(B)/src/main.o,$(obj))
test_src := $(sort $(if $(TESTS),$(TESTS:%=tests/test_%.c),$(wildcard tests/test_*.c)))
help_src := $(sort $(wildcard tests/toy_*.c tests/support_*.c))
test_bin := $(test_src:%.c=$(B)/%)
help_cu := $(if $(filter 1,$(cuda)),$(sort $(wildcard tests/toy_*.cu)))
help_obj := $(help_src:%.c=$(B)/%.o) $(help_cu:%.cu=$(B)/%.cu.o)
# Programs get the helpers that do without Criterion.
prog_help_obj := $(patsubst %.c,$(B)/%.o,$(filter-out /dev/null,$(shell grep -L criterion/ $(help_src) /dev/null))) $(help_cu:%.cu=$(B)/%.cu.o)
fuzz_src := $(sort $(wildcard tests/fuzz_*.c))
fuzz_bin := $(fuzz_src:%.c=$(B)/%)
prog_src := $(sort $(wildcard tests/prog_*.c))
prog_bin := $(prog_src:%.c=$(B)/%)
S := $(B)/sferic

git_hash := $(or $(call run,test -e .git && git -c safe.directory='$(CURDIR)' describe --always --dirty --abbrev=12 \
    --exclude '*'),$(call run,cat .git_hash),unknown)

# What `native` means differs between machines that share a directory: the compiler's own macros tell them apart.
machine := $(call run,$(CC) -march=$(ARCH) -dM -E -x c /dev/null | cksum)
export FLAGS_TEXT := $(compile) | $(cu_compile) | $(machine)
export LINK_TEXT := $(obj) | $(help_obj) | $(LDFLAGS) $(libs)
escape = $(subst ",\",$(subst \,\\,$(1)))
define VERSION_TEXT
/* Written by the Makefile: what `sferic --version` and every output file say about this binary. */
#pragma once
#define SF_VERSION "$(VERSION)"
#define SF_GIT_HASH "$(git_hash)"
#define SF_COMPILER "$(call escape,$(compiler))"
#define SF_FLAGS "$(call escape,$(strip $(code)))"
#define SF_MODEL_KERNELS "$(call escape,$(strip $(model_kernels)))"
#define SF_VARIANT "$(variant)"
#define SF_ARCH "$(ARCH)"
#define SF_CUDA_ARCHS "$(if $(emulate),,$(cuda_archs))"
#define SF_DATADIR "$(call escape,$(datadir))"
endef
export VERSION_TEXT

ifeq ($(openmp)$(filter thread,$(SAN)),)
$(info sferic: $(CC) has no omp.h (Debian: libomp-dev): building without threads, vector loops only)
endif

# ---- build -----------------------------------------------------------------------------------------------------------

all: $(S) ## the program, build/sferic (a link to the variant built last, packages aside)
ifeq ($(SAN)$(filter 0,$(LINK)),)
	@ln -sfn $(variant)/sferic build/sferic
endif

$(S): $(obj) $(B)/link.txt
	$(say) LINK $@
	$(Q)$(CC) $(strip $(code)) $(LDFLAGS) $(obj) $(libs) -o $@

# A file of settings is written anew only when it changes, and so rebuilds only then.
replace = @mkdir -p $(@D) && printf '%s\n' "$$$(1)" >$@.new && { cmp -s $@.new $@ && rm $@.new || mv $@.new $@; }

$(B)/version.h: FORCE
	$(call replace,VERSION_TEXT)
$(B)/flags.txt: FORCE
	$(call replace,FLAGS_TEXT)
$(B)/link.txt: FORCE
	$(call replace,LINK_TEXT)

# What is made of descriptions of stages, by a program of the build's own.
weather_sf := src/dynamics/weather.sf $(filter-out %/weather.sf,$(sort $(wildcard src/dynamics/*.sf)))
waves_sf := src/maxwell/waves.sf
print-sheets: ; @echo $(weather_sf) $(waves_sf)
# Of all that a model consists of: tables, and of one with stages of elements their packs; of each file by itself: code, so that
# it is compiled in parts.
made_of = $(addprefix $(B)/$(1)_,fields.def forms.def made.def $(2))
code_of = $(patsubst src/%.sf,$(B)/%_made.h,$(1))
made := $(call made_of,dynamics/weather) $(call made_of,maxwell/waves,packs.h) $(call code_of,$(weather_sf) $(waves_sf))
stages_src := tools/stages_made.c $(addprefix src/stages/,read.c read_expression.c settle.c settle_beside.c settle_elements.c settle_expand.c settle_like.c settle_shown.c settle_step.c settle_sweep.c print.c print_column.c print_elements.c print_layers.c print_vectors.c print_rows.c)
# What code that is made while sferic runs includes.
model_headers := $(addprefix pipeline/,columns.h complaint.h sferic.h sfmath.h sfquick.h model.h points.h printed.h printed_kernels.h tridiagonal.h \
    $(if $(filter 1,$(cuda)),launch.h backend.h ghost.h made.h plan.h storage.h))
$(B)/stages_made: $(stages_src) src/stages/describe.h src/stages/print_parts.h src/stages/read_parts.h src/pipeline/model.h src/pipeline/sfmath_flops.h $(B)/flags.txt
	$(say) CC $@
	$(Q)$(CC) -std=gnu11 -O1 $(CFLAGS) $(warn) -Isrc $(stages_src) -o $@
define made_rule
$(call made_of,$(1),$(3)): $(B)/$(1)_%: $(B)/stages_made $(2)
	$$(say) MAKE $$@
	@mkdir -p $$(@D)
	$$(Q)$$< $$* $(2) >$$@.new && mv $$@.new $$@
$(call code_of,$(2)): $(B)/stages_made $(2)
	$$(say) MAKE $$@
	@mkdir -p $$(@D)
	$$(Q)$$< $$(@F) $(2) >$$@.new && mv $$@.new $$@
endef
$(eval $(call made_rule,dynamics/weather,$(weather_sf)))
$(eval $(call made_rule,maxwell/waves,$(waves_sf),packs.h))
$(B)/stages/headers.def: $(B)/stages_made $(model_headers:%=src/%)
	$(say) MAKE $@
	@mkdir -p $(@D)
	$(Q)$< texts.def src $(model_headers) >$@.new && mv $@.new $@
# The models that come with the program: a run finds them anywhere.
models_sf := $(sort $(wildcard namelists/models/*.sf))
$(B)/stages/models.def: $(B)/stages_made $(models_sf)
	$(say) MAKE $@
	@mkdir -p $(@D)
	$(Q)$< texts.def namelists/models $(notdir $(models_sf)) >$@.new && mv $@.new $@
made += $(B)/stages/headers.def $(B)/stages/models.def

$(B)/src/%.o: src/%.c $(B)/flags.txt | $(B)/version.h $(made)
	$(say) CC $<
	@mkdir -p $(@D)
	$(Q)$(compile) -c $< -o $@

$(B)/src/%.cu.o: src/%.cu $(B)/flags.txt | $(B)/version.h $(made)
	$(say) $(if $(emulate),CXX,NVCC) $<
	@mkdir -p $(@D)
	$(Q)$(cu_compile) -MF $(@:.o=.d) -c $< -o $@

# Kernels of models that only tests have.
$(B)/tests/toy_%.cu.o: tests/toy_%.cu $(B)/flags.txt | $(B)/version.h
	$(say) $(if $(emulate),CXX,NVCC) $<
	@mkdir -p $(@D)
	$(Q)$(cu_compile) -Itests -MF $(@:.o=.d) -c $< -o $@

$(B)/tests/emulate/%.o: tests/emulate/%.cc $(B)/flags.txt
	$(say) CXX $<
	@mkdir -p $(@D)
	$(Q)$(emulate_compile) -c $< -o $@

# What the emulated GPU must find: tests/emulate.sh.
$(B)/tests/emulate/faults: tests/emulate/faults.cu $(emulate_src:%.cc=$(B)/%.o) $(B)/flags.txt
	$(say) CXX $@
	$(Q)$(emulate_compile) -x c++ $< -x none $(filter %.o,$^) -MF $@.d -o $@

ifeq ($(cuda),1)
# Without a disassembler or python the table is empty: `bench` and `run` then say that limits by instructions are not known.
export SASS_TEXT := $(CUOBJDUMP) $(sass_arch)
$(B)/sass.txt: FORCE
	$(call replace,SASS_TEXT)
$(B)/pipeline/sass.def: $(cu:%.cu=$(B)/%.cu.o) tools/sass_count.py $(B)/sass.txt
	$(say) SASS $@
	@mkdir -p $(@D)
	$(Q)for o in $(filter %.o,$^); do $(or $(CUOBJDUMP),false) -arch $(sass_arch) -sass $$o 2>/dev/null; done >$@.txt || :
	$(Q){ if command -v python3 >/dev/null; then python3 tools/sass_count.py $@.txt; fi; echo '#undef SASS'; } >$@
$(B)/src/pipeline/sass.o: $(B)/pipeline/sass.def
endif

$(B)/tests/%.o: tests/%.c $(B)/flags.txt | $(B)/version.h $(made)
	$(say) CC $<
	@mkdir -p $(@D)
	$(Q)$(call of_tests,$(compile)) -Itests $(criterion_cflags) -c $< -o $@

$(B)/tests/test_%: $(B)/tests/test_%.o $(help_obj) $(lib) $(B)/link.txt
	$(say) LINK $@
	$(Q)$(CC) $(strip $(code)) $(quick_link) $(LDFLAGS) $(filter %.o,$^) $(criterion_libs) $(libs) -o $@

# Programs that test scripts launch, on several ranks for instance: a main of their own, no test library.
$(B)/tests/prog_%: $(B)/tests/prog_%.o $(prog_help_obj) $(lib) $(B)/link.txt
	$(say) LINK $@
	$(Q)$(CC) $(strip $(code)) $(LDFLAGS) $(filter %.o,$^) $(libs) -o $@

# Those of kernels alone: one file each, which a machine with a GPU runs without the libraries of all others.
$(B)/tests/prog_gpu_%: tests/prog_gpu_%.cu $(emulate_src:%.cc=$(B)/%.o) $(B)/flags.txt | $(made)
	$(say) $(if $(emulate),CXX,NVCC) $<
	@mkdir -p $(@D)
	$(Q)$(cu_compile) $< $(if $(emulate),-x none $(filter %.o,$^)) -MT $@ -MF $@.d -o $@

$(B)/tests/fuzz_%: $(B)/tests/fuzz_%.o $(lib) $(B)/link.txt
	$(say) LINK $@
	$(Q)$(CC) $(strip $(code)) -fsanitize=fuzzer $(LDFLAGS) $(filter %.o,$^) $(libs) -o $@

.SECONDARY:
-include $(obj:.o=.d) $(wildcard $(B)/tests/emulate/faults.d $(B)/tests/prog_gpu_*.d) $(test_src:%.c=$(B)/%.d) \
    $(help_src:%.c=$(B)/%.d) $(help_cu:%.cu=$(B)/%.cu.d) $(fuzz_src:%.c=$(B)/%.d) $(prog_src:%.c=$(B)/%.d)

endif # build_goals

# ---- run -------------------------------------------------------------------------------------------------------------

setup = @CC='$(CC)' MPI='$(MPI)' tools/setup.sh
# The second make (+: it shares this one's jobs): all cores unless the user said how many.
again = +@$(MAKE) --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc 2>/dev/null || echo 2))
run_tests = @SFERIC='$(CURDIR)/$(S)' BUILD='$(CURDIR)/$(B)' tools/run-tests.sh

# Without a GPU the kernels are of no use to it, and take as long to build as all the rest.
demo_cuda := $(if $(filter auto,$(CUDA)),$(if $(wildcard /dev/nvidia0 /dev/dxg),,CUDA=0))
demo: ## set-up, build, run a forecast and EM waves, draw their pictures
	$(setup)
	$(again) run-demo $(demo_cuda)

demos := $(notdir $(basename $(DEMO) $(DEMO_EM)))
run-demo: all
	@for c in $(demos); do $(S) run namelists/$$c.nml --out out/$$c --force && tools/sferic-plot out/$$c || exit; \
	    test -s out/$$c/$$c.png || { echo "sferic: the run left no picture in out/$$c" >&2; exit 1; }; done
	@printf '\nThe pictures:\n'; printf '    %s\n' $(foreach c,$(demos),out/$(c)/$(c).png)

forecast: ## set-up, build, a forecast from an analysis (two minutes), its pictures, how far it is off what was observed
	$(setup)
	$(again) run-forecast $(demo_cuda)

forecast_case := $(notdir $(FORECAST))
forecast_out := out/$(forecast_case)
# What sferic-prepare makes lies with the output, and a copy of the namelist, which looks for it beside itself.
run-forecast: all
	@mkdir -p $(forecast_out)/prepared && cp $(FORECAST)/$(forecast_case).nml $(forecast_out)/prepared
	@tools/sferic-prepare $(FORECAST)/$(forecast_case).nml --from $(FORECAST)/nam.t00z.awp21100.tm00.grib2 --terrain $(FORECAST)/etopo5.nc -o $(forecast_out)/prepared
	@$(S) run $(forecast_out)/prepared/$(forecast_case).nml --out $(forecast_out) --force && tools/sferic-plot $(forecast_out)
	@test -s $(forecast_out)/$(forecast_case).png || { echo "sferic: the run left no picture in $(forecast_out)" >&2; exit 1; }
	@echo && tools/sferic-against $(forecast_out) $(FORECAST)/observed.txt --json $(forecast_out)/against.json
	@printf '\nThe pictures:\n    %s\n' $(forecast_out)/$(forecast_case).png

# The pages of README.md and docs/, and a reference of all keys, which the program tells.
site_out := build/site
site: ## set-up, build, the documents as a site, build/site/index.html, and on paper, sferic.pdf (SITE_PDF=0: not)
	@CC='$(CC)' MPI='$(MPI)' tools/setup.sh --site
	$(again) run-site $(demo_cuda)

SITE_PDF ?= 1
run-site: all
	@SFERIC='$(CURDIR)/$(S)' tools/site $(site_out) $(if $(filter 1,$(SITE_PDF)),--pdf)
	@printf '  SITE  %s\n' $(site_out)/index.html $(if $(filter 1,$(SITE_PDF)),$(site_out)/sferic.pdf)

gallery: ## set-up, build, run and draw all cases, write docs/gallery.md: a quarter of an hour or so on two cores (CASES="slab rest": these alone)
	$(setup)
	$(again) run-gallery $(demo_cuda)

CASES ?=
run-gallery: all
	@SFERIC='$(CURDIR)/$(S)' tools/gallery $(CASES)

test: ## set-up, build, the tests of everything: a quarter of an hour or so on two cores
	$(setup)
	$(again) check

test-full: ## what takes longer: mutants of the sources, and all on a GPU that is emulated on the CPU
	$(setup)
	$(again) check-full

check: all $(test_bin) $(prog_bin) ## the same without set-up; TESTS="grid plan" runs these alone
	$(run_tests) $(if $(TESTS),,$(SHELL_TESTS)) $(test_bin)

check-full: all $(prog_bin) $(test_bin) ## the same without set-up
	$(run_tests) $(full_shell)

GPU_TESTS ?= $(sort $(wildcard tests/gpu/*.sh)) tests/gpu_bits.sh

test-gpu: ## on a machine with a GPU: every case there and on the CPU, the same bits; all forms of kernels; compute-sanitizer
	$(setup)
	$(again) run-test-gpu

no-cuda:
	@echo 'sferic: the tests of the GPU need a build with CUDA: install its toolkit, or name its compiler, NVCC=' >&2; exit 1

run-test-gpu: $(if $(filter 1,$(cuda)),all $(addprefix $(B)/tests/prog_,matrix gpu_weather gpu_waves),no-cuda)
	@SF_GPU=1 SCRIPT_JOBS=1 PATIENCE_BUSY=$${PATIENCE_BUSY:-40000} SFERIC='$(CURDIR)/$(S)' BUILD='$(CURDIR)/$(B)' tools/run-tests.sh $(GPU_TESTS)

# Prints the binary's path, for scripts.
path:
	@echo $(S)

unit: all $(test_bin)
	$(run_tests) $(test_bin)

bench: all ## this machine's ceilings and what each kernel reaches
	@$(S) bench

flops: ## count the arithmetic of formulas and functions into src/dynamics/flops.h and src/pipeline/sfmath_flops.h, and show it (C++ compiler in CXX)
	@command -v '$(CXX)' >/dev/null || { echo 'no C++ compiler $(CXX): apt-get install -y g++, or set CXX=' >&2; exit 1; }
	@mkdir -p build && $(CXX) -std=gnu++20 -DSF_PREC=32 -Isrc tools/count_flops.cc -o build/count_flops
	@build/count_flops --header >build/flops.h
	@cmp -s build/flops.h src/dynamics/flops.h || cp build/flops.h src/dynamics/flops.h
	@build/count_flops --functions >build/sfmath_flops.h
	@cmp -s build/sfmath_flops.h src/pipeline/sfmath_flops.h || cp build/sfmath_flops.h src/pipeline/sfmath_flops.h
	@build/count_flops

verify: all ## benchmark cases against published figures
	@$(S) verify

run-verify-full: all $(prog_bin)
	@$(S) verify --full
	@test -n '$(FULL_TESTS)' || { echo 'sferic: no script of the full bit matrix in tests/' >&2; exit 1; }
	@SF_FULL=1 PATIENCE_BUSY=$${PATIENCE_BUSY:-400000} SFERIC='$(CURDIR)/$(S)' BUILD='$(CURDIR)/$(B)' tools/run-tests.sh $(FULL_TESTS)

verify-full: ## the same at full size, and the full bit matrix
	$(again) run-verify-full

export ASAN_OPTIONS ?= detect_leaks=1:allocator_may_return_null=1
export UBSAN_OPTIONS ?= print_stacktrace=1
export LSAN_OPTIONS ?= suppressions=$(CURDIR)/tests/lsan.supp:print_suppressions=0
export TSAN_OPTIONS ?= halt_on_error=1

# Criterion's processes cannot start under ThreadSanitizer, so the writer thread is watched in a run.
run-short: all
	@for slabs in 1 5; do $(S) run $(DEMO) --out $(B)/short --force -q --set time%duration=10 --set time%output_interval=5 \
	    --set pipeline%slabs=$$slabs || exit; done
	@echo '  RUN   $(variant): nothing found'

# Layers, a ball of another medium, a plane wave, monitors and probes; two threads.
run-waves: all
	@for slabs in 1 5; do $(S) run namelists/sphere.nml --out $(B)/waves --force -q --set grid%nx=24 --set grid%dx=0.0183333 --set grid%ny=24 \
	    --set grid%dy=0.0183333 --set grid%nz=24 --set grid%dz=0.0183333 --set cpml%cells=4 --set maxwell%allow_coarse=.true. \
	    --set time%duration=2e-9 --set time%output_interval=1e-9 --set pipeline%threads=2 --set pipeline%slabs=$$slabs || exit; done
	@echo '  RUN   $(variant), waves: nothing found'

# Its threads are POSIX threads there: the sweep's barriers and shares are watched in random programs.
run-threads: $(B)/tests/prog_ranks $(B)/tests/prog_roles
	@$< 100 0 3
	@mkdir -p $(B)/roles && $(B)/tests/prog_roles $(B)/roles 20

# Criterion tests call no MPI: the one build without it does for tests and runs.
sanitize: ## unit tests and short runs of both models under ASan, UBSan and LSan, runs and random programs under TSan
	+@TEST_TIMEOUT=$${TEST_TIMEOUT:-1200} $(again:+@%=%) unit SAN=address CUDA=0 MPI=0
	$(if $(wildcard $(DEMO)),$(again) run-short SAN=address CUDA=0 MPI=0)
	$(if $(wildcard $(DEMO)),$(again) run-short SAN=thread CUDA=0 MPI=0)
	$(again) run-waves SAN=address CUDA=0 MPI=0
	$(again) run-waves SAN=thread CUDA=0 MPI=0
	$(again) run-threads SAN=thread CUDA=0 MPI=0

run-fuzz: $(fuzz_bin)
	@for f in $(fuzz_bin); do n=$${f##*/fuzz_}; mkdir -p $(B)/corpus/$$n; echo "  FUZZ  $$n"; \
	    $$f -max_total_time=$(FUZZ_SECONDS) -timeout=10 -print_final_stats=1 -artifact_prefix=$(B)/crash-$$n- \
	    $(B)/corpus/$$n $$(ls -d tests/$${n}s 2>/dev/null) >$(B)/fuzz-$$n.txt 2>&1 || \
	    { tail -n 40 $(B)/fuzz-$$n.txt; exit 1; }; grep -h stat:: $(B)/fuzz-$$n.txt; done

fuzz: ## libFuzzer on tests/fuzz_*.c, FUZZ_SECONDS=60 each (clang)
	@test -n '$(wildcard tests/fuzz_*.c)' || { echo 'sferic: no tests/fuzz_*.c in this tree' >&2; exit 1; }
	@CC=clang MPI=0 tools/setup.sh
	$(again) run-fuzz CC=clang MPI=0 CUDA=0 SAN=fuzz

# ---- install and upkeep ----------------------------------------------------------------------------------------------

# What the folder holds in the tree: not what sferic-prepare makes there.
florence := $(addprefix namelists/florence_2018/,README.txt florence_2018.nml nam.t00z.awp21100.tm00.grib2 etopo5.nc observed.txt)
documents := $(wildcard README.md LICENSE CHANGELOG.md CITATION.cff docs/*.md docs/*.png)

# These look for their package from where they lie themselves, so that the tree can be moved as a whole.
python_tools := sferic-plot sferic-resonances sferic-bscan sferic-prepare sferic-against sferic-import sferic-view
python_packages := sferic_plot sferic_prepare sferic_against sferic_import sferic_view
install-plot:
	install -d '$(DESTDIR)$(bindir)' $(python_packages:%='$(DESTDIR)$(datadir)/%') '$(DESTDIR)$(datadir)/sferic_view/web'
	for p in $(python_packages); do install -m 644 tools/$$p/*.py '$(DESTDIR)$(datadir)'/$$p || exit; done
	install -m 644 $(wildcard tools/sferic_view/web/*) '$(DESTDIR)$(datadir)/sferic_view/web'
	install -m 755 $(python_tools:%=tools/%) '$(DESTDIR)$(bindir)'
	install -m 755 tools/view-env.sh '$(DESTDIR)$(datadir)'
	@d=$$(realpath -m --relative-to='$(bindir)' '$(datadir)') && \
	    sed -i "s|^LIBRARY = \"[^\"]*\"|LIBRARY = \"$$d\"|" $(python_tools:%='$(DESTDIR)$(bindir)/%')

# An environment cannot be moved: it is made where it is to stay, for an installed sferic-view in $(datadir)/view.
view_env ?= build/view
install-view: ## what tools/sferic-view takes, into view_env=build/view
	@tools/view-env.sh '$(view_env)'

install: all install-plot ## into prefix=/usr/local, below DESTDIR
	install -d '$(DESTDIR)$(bindir)' '$(DESTDIR)$(datadir)/namelists' '$(DESTDIR)$(datadir)/soundings' '$(DESTDIR)$(docdir)'
	install -m 755 $(S) '$(DESTDIR)$(bindir)/sferic'
	$(if $(wildcard namelists/*.nml),install -m 644 $(wildcard namelists/*.nml namelists/*.txt namelists/*.stl) '$(DESTDIR)$(datadir)/namelists')
	install -d '$(DESTDIR)$(datadir)/namelists/florence_2018' '$(DESTDIR)$(datadir)/namelists/gprmax'
	install -m 644 $(wildcard namelists/gprmax/*.in) '$(DESTDIR)$(datadir)/namelists/gprmax'
	install -m 644 $(florence) '$(DESTDIR)$(datadir)/namelists/florence_2018'
	$(if $(wildcard data/soundings/*),install -m 644 $(wildcard data/soundings/*) '$(DESTDIR)$(datadir)/soundings')
	install -m 644 $(documents) '$(DESTDIR)$(docdir)'
	for d in gallery tutorial; do install -d '$(DESTDIR)$(docdir)'/$$d && install -m 644 docs/$$d/*.png '$(DESTDIR)$(docdir)'/$$d || exit; done

uninstall: ## what install put there
	rm -f '$(DESTDIR)$(bindir)/sferic' $(python_tools:%='$(DESTDIR)$(bindir)/%')
	rm -rf '$(DESTDIR)$(datadir)' '$(DESTDIR)$(docdir)'

dist: ## build/sferic-$(VERSION).tar.gz of the last commit
	@mkdir -p build/dist && git rev-parse --short=12 HEAD >build/dist/.git_hash
	@git archive --format=tar --prefix=sferic-$(VERSION)/ --add-file=build/dist/.git_hash HEAD | \
	    gzip -n -9 >build/sferic-$(VERSION).tar.gz
	@echo build/sferic-$(VERSION).tar.gz

# Of a baseline that most machines of ten years have; the loader refuses it on others (CPU ISA level), and bits are the same on all.
deb_arch ?= $(if $(filter x86_64,$(shell uname -m)),x86-64-v3,$(if $(filter aarch64,$(shell uname -m)),armv8-a,native))
deb_root := $(CURDIR)/build/deb/root
deb_flags = ARCH=$(deb_arch) MPI=1 CUDA=0 LINK=0 prefix=/usr LDFLAGS='-Wl,-z,relro,-z,now$(if $(filter x86-64-v%,$(deb_arch)),$(comma)-z$(comma)$(deb_arch))'
comma := ,
deb: ## build/sferic_$(VERSION)-1_ARCHITECTURE.deb, a package for this release of Debian or Ubuntu; deb_arch=x86-64-v3
	@CC='$(CC)' MPI=1 tools/setup.sh --deb
	$(again) deb-alone

deb-alone:
	@rm -rf build/deb && mkdir -p build/deb
	$(again) install $(deb_flags) DESTDIR='$(deb_root)'
	@packaging/make-deb.sh '$(deb_root)' "$$($(MAKE) -s --no-print-directory path $(deb_flags))" $(VERSION) $(deb_arch)

clean: ## remove build/ (results in out/ stay)
	rm -rf build

info: ## what would be built, with which flags
	@printf '%-10s %s\n' version '$(VERSION) ($(git_hash))' variant '$(variant)' compiler '$(compiler)' \
	    precision '$(PREC) bits' openmp '$(if $(openmp),yes,no)' mpi '$(if $(filter 1,$(mpi)),$(mpicc),no)' \
	    cuda '$(if $(filter 1,$(cuda)),$(NVCC) for $(cuda_archs),no)' flags '$(strip $(code))' libs '$(strip $(libs))'

# The counts of arithmetic are written by a program.
c_files := $(filter-out src/dynamics/flops.h src/pipeline/sfmath_flops.h,$(wildcard $(foreach d,src src/* tests tests/emulate tools,$(foreach e,c h cu cuh cc,$d/*.$e))))
format: ## clang-format every source in place
	@clang-format -i $(c_files)

format-check: ## is every source as `make format` writes it?
	@clang-format --dry-run --Werror $(c_files)

tidy: ## clang-tidy: bugs it can see
	@clang-tidy --quiet --warnings-as-errors='*' --checks='-*,clang-analyzer-*,bugprone-*,-bugprone-easily-swappable-parameters,-bugprone-narrowing-conversions,-bugprone-reserved-identifier,-bugprone-macro-parentheses,-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling' \
	    $(src) -- -std=gnu11 $(defs) $(includes)

help: ## this list
	@echo 'make [TARGET] [OPTION=VALUE]...'
	@echo
	@sed -n 's/^\([a-z-]*\):[^#]* ## \(.*\)/\1|\2/p' Makefile | sed 's/$$(VERSION)/$(VERSION)/' | \
	    while IFS='|' read -r t d; do printf '  %-12s %s\n' "$$t" "$$d"; done
	@echo
	@printf '  %-24s %s\n' 'CC=gcc|clang' 'compiler' 'PREC=32|64' 'bits of a real' 'MPI=auto|0|1' 'message passing (Open MPI)' \
	    'CUDA=auto|0|1|emulate' 'GPU backend' 'CUDA_ARCH="80 90"' 'GPU architectures' \
	    'CUOBJDUMP=' 'counts the instructions of kernels' \
	    'ARCH=native|x86-64-v3|...' 'processor (-march)' 'CFLAGS= LDFLAGS=' 'added to the flags' \
	    'WERROR=1' 'warnings are errors' 'V=1' 'show commands' 'prefix=/usr/local DESTDIR=' 'where install puts things' \
	    'view_env=build/view' 'where install-view puts things' 'deb_arch=x86-64-v3' 'processor of the package'

FORCE:
.PHONY: all path demo run-demo forecast run-forecast site run-site gallery run-gallery run-short run-waves run-threads test test-full check-full test-gpu run-test-gpu no-cuda check unit bench verify verify-full run-verify-full sanitize fuzz run-fuzz flops install install-plot install-view \
    uninstall dist deb deb-alone clean info format format-check tidy help FORCE
