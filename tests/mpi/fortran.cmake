# SPDX-License-Identifier: BSD-3-Clause
# The module nereus.
if(NOT NEREUS_FORTRAN)
  return()
endif()

add_executable(fortran_test fortran_test.f90 fortran_expectations.f90 fortran_sizes.c)
add_executable(fortran_own_data_test fortran_own_data_test.f90 fortran_expectations.f90)
add_executable(fortran_redistribute_test fortran_redistribute_test.f90 fortran_expectations.f90)
foreach(program fortran_test fortran_own_data_test fortran_redistribute_test)
  set_target_properties(${program} PROPERTIES LINKER_LANGUAGE Fortran
                                              Fortran_MODULE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${program}.modules)
  target_link_libraries(${program} PRIVATE nereus::fortran nereus)
endforeach()

foreach(memory shared private)
  nereus_mpi_test(fortran.has_all_of_nereus.h.${memory} fortran_test 2 --nereus-process-strategies=none
                  --nereus-memory=${memory} --nereus-verify=on)
endforeach()

foreach(ranks 1 4)
  nereus_mpi_test(fortran.redistribute.on_${ranks} fortran_redistribute_test ${ranks})
endforeach()

set(folder ${CMAKE_CURRENT_BINARY_DIR}/fortran.own_data)
add_test(NAME mpi.fortran.own_data.begin COMMAND ${CMAKE_COMMAND} -E rm -rf ${folder})
nereus_mpi_test(fortran.own_data.moves_and_is_saved fortran_own_data_test 2 first 3 --nereus-process-strategies=none
                --nereus-save=${folder})
nereus_mpi_test(fortran.own_data.is_loaded fortran_own_data_test 1 next --nereus-save=${folder}
                --nereus-resume=${folder})
set_tests_properties(mpi.fortran.own_data.begin PROPERTIES LABELS mpi FIXTURES_SETUP fortran.own_data.0)
set_tests_properties(mpi.fortran.own_data.moves_and_is_saved
                     PROPERTIES FIXTURES_REQUIRED fortran.own_data.0 FIXTURES_SETUP fortran.own_data.1)
set_tests_properties(mpi.fortran.own_data.is_loaded PROPERTIES FIXTURES_REQUIRED fortran.own_data.1)
