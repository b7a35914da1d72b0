# SPDX-License-Identifier: BSD-3-Clause
# Tests of load balancing: rows that move while the number of ranks stays.
nereus_mpi_program(balance_test)
foreach(memory private shared)
  foreach(story slow dear)
    nereus_mpi_test(balance.${story}.${memory} balance_test 3 ${story} --nereus-balance=on --nereus-memory=${memory}
                    --nereus-verify=on)
  endforeach()
endforeach()
nereus_saying_mpi_test(balance.none 0 "the setting balance has no effect: no array or matrix has the layout NEREUS_WEIGHTED"
                       balance_test 2 none --nereus-balance=on)
