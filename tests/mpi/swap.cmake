# SPDX-License-Identifier: BSD-3-Clause
# Programs that swap two arrays in each iteration, by their pointers or by the call.
# 3 elements: processes without any see no pointer change. Of 300007, pages move.
nereus_mpi_program(swap_test)
foreach(memory private shared)
  foreach(elements 3 300007)
    foreach(case pointers calls)
      nereus_mpi_test(swap.${case}.${memory}.${elements} swap_test 2 ${case} ${elements} --nereus-memory=${memory}
                      --nereus-transfer-strategy=wait-drains --nereus-wake=off --nereus-verify=on)
    endforeach()
  endforeach()
  nereus_mpi_test(swap.blocking.${memory} swap_test 2 pointers 300007 --nereus-memory=${memory}
                  --nereus-transfer-strategy=blocking --nereus-process-method=baseline-inter)
  # While newcomers start, the application swaps.
  foreach(strategy blocking wait-drains)
    nereus_mpi_test(swap.meanwhile.${memory}.${strategy} swap_test 2 one 3 --nereus-memory=${memory}
                    --nereus-process-strategies=asynchronous --nereus-transfer-strategy=${strategy} --nereus-wake=off
                    --nereus-verify=on)
  endforeach()
  nereus_mpi_test(swap.meanwhile.${memory}.300007 swap_test 2 pointers 300007 --nereus-memory=${memory}
                  --nereus-process-strategies=asynchronous --nereus-transfer-strategy=wait-drains --nereus-wake=off
                  --nereus-verify=on)
  nereus_mpi_test(swap.stray.${memory} swap_test 2 stray 1000 --nereus-memory=${memory})
  nereus_mpi_test(swap.forgotten.${memory} swap_test 4 forgotten 3 --nereus-memory=${memory})
endforeach()
