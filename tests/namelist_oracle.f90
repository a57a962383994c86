! Reads the groups of tests/namelist_schema.h from each file named on standard input and prints what came out, reals
! as bits: what another reader of namelists makes of the same text. SPDX-License-Identifier: MIT
program namelist_oracle
  use iso_fortran_env, only: real64, int64
  implicit none
  type wave_type
    real(real64) :: peak, width(3)
  end type
  integer :: nx, nz, steps, every(3), kind
  logical :: restart, t, flags(4)
  real(real64) :: dx, top, position(3), levels(5)
  character(31) :: title
  character(7) :: label
  character(15) :: fields(6), scheme, modes(3)
  type(wave_type) :: wave
  character(1024) :: path
  integer :: rc, worst, i
  namelist /grid/ nx, nz, dx, top, position, levels
  namelist /run/ title, label, scheme, restart, steps, flags, t
  namelist /output/ fields, every, modes
  namelist /source/ wave, kind

  do
    read (*, '(a)', iostat=rc) path
    if (rc /= 0) exit
    nx = 128; nz = 64; dx = 1000; top = 2d4; position = 0; levels = [10d0, 20d0, 30d0, 30d0, 30d0]
    title = 'untitled'; label = ''; scheme = 'rk3'; restart = .false.; steps = 100
    flags = [.true., .false., .false., .false.]; t = .false.
    fields = ''; every = 1; modes = 'none'; wave%peak = 1; wave%width = 1d-15; kind = 0
    open (10, file=trim(path), status='old', action='read')
    worst = 0
    read (10, nml=grid, iostat=rc); worst = max(worst, rc); rewind (10)
    read (10, nml=run, iostat=rc); worst = max(worst, rc); rewind (10)
    read (10, nml=output, iostat=rc); worst = max(worst, rc); rewind (10)
    read (10, nml=source, iostat=rc); worst = max(worst, rc)
    close (10)
    if (worst > 0) then
      print '(a)', 'refused'
      cycle
    end if
    write (*, '(*(g0))', advance='no') nx, ' ', nz, ' ', steps, ' ', kind, ' '
    write (*, '(*(i0, 1x))', advance='no') every
    write (*, '(*(l1, 1x))', advance='no') restart, t, flags
    write (*, '(*(z16.16, 1x))', advance='no') transfer([dx, top, position, levels, wave%peak, wave%width], [0_int64])
    write (*, '(*(a))', advance='no') '[', trim(title), '][', trim(label), '][', trim(scheme), ']'
    do i = 1, 6
      write (*, '(*(a))', advance='no') '[', trim(fields(i)), ']'
    end do
    write (*, '(*(a))') ('[', trim(modes(i)), ']', i=1, 3)
  end do
end program
