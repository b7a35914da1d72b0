# SPDX-License-Identifier: BSD-3-Clause
# Registered arrays that get other distributions.
nereus_mpi_program(distribution_change_test)
# The library is to call the function of the test that sends a message.
set_target_properties(distribution_change_test PROPERTIES ENABLE_EXPORTS ON CXX_VISIBILITY_PRESET default)
foreach(set RANGE 0 15)
  math(EXPR ranks "${set} % 4 + 1")
  if(set LESS 8)
    set(memory private)
  else()
    set(memory shared)
  endif()
  nereus_mpi_test(distribution_change.any.${set}.on_${ranks} distribution_change_test ${ranks} any ${set}
                  --nereus-memory=${memory} --nereus-verify=on)
endforeach()
set(number 0)
foreach(hosts aab abab abc)
  math(EXPR number "${number} + 1")
  string(LENGTH ${hosts} ranks)
  nereus_mpi_test(distribution_change.any.on_${hosts} distribution_change_test ${ranks} any ${number} on=${hosts}
                  --nereus-memory=shared --nereus-verify=on)
endforeach()
set(number 0)
foreach(method merge baseline-inter)
  foreach(memory private shared)
    foreach(strategy blocking wait-drains)
      math(EXPR number "${number} + 1")
      nereus_mpi_test(distribution_change.resized.${method}.${memory}.${strategy} distribution_change_test 2 resized
                      ${number} --nereus-memory=${memory} --nereus-process-method=${method}
                      --nereus-transfer-strategy=${strategy} --nereus-verify=on)
    endforeach()
  endforeach()
endforeach()
nereus_mpi_test(distribution_change.undoes_what_is_sent distribution_change_test 2 undoes --nereus-memory=private
                --nereus-transfer-strategy=wait-drains)
nereus_mpi_test(distribution_change.refused distribution_change_test 3 refused)
nereus_mpi_test(distribution_change.no_memory_for_change distribution_change_test 3 no_memory_for_change)
nereus_mpi_test(distribution_change.no_memory_for_shrink distribution_change_test 3 no_memory_for_shrink)
foreach(memory private shared)
  nereus_mpi_test(distribution_change.send_fails.${memory} distribution_change_test 3 send_fails
                  --nereus-memory=${memory} --nereus-answer-timeout=1)
endforeach()
nereus_mpi_test(distribution_change.swapped distribution_change_test 2 swapped)
nereus_saying_mpi_test(distribution_change.newcomer_differs ${NEREUS_CODE_OF_AN_ABORT_BY_NEWCOMERS}
                       "registers .*cyclic.* where the job has .*registered as block" distribution_change_test 2 newcomer_differs)
