# SPDX-License-Identifier: BSD-3-Clause
# Jobs that are saved, and continued with any number of processes: each test of a chain continues from the one before.
nereus_mpi_program(save_and_resume_test)
target_include_directories(save_and_resume_test PRIVATE ${PROJECT_BINARY_DIR}/src)

# nereus_saving_chain(NAME LABEL [PROGRAM PROGRAM] RANKS... SETTINGS ARGUMENTS...)
function(nereus_saving_chain name label)
  cmake_parse_arguments(chain "" "PROGRAM" "RANKS;SETTINGS" ${ARGN})
  if(NOT chain_PROGRAM)
    set(chain_PROGRAM save_and_resume_test)
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/saving.${name})
  add_test(NAME mpi.saving.${name}.begin COMMAND ${CMAKE_COMMAND} -E rm -rf ${folder})
  set_tests_properties(mpi.saving.${name}.begin PROPERTIES LABELS ${label} FIXTURES_SETUP saving.${name}.0)
  set(number 0)
  set(mode first)
  set(resume)
  foreach(step IN LISTS chain_RANKS)
    string(REPLACE ":" ";" words ${step}) # RANKS, or RANKS:RESIZED_TO
    list(POP_FRONT words ranks)
    nereus_mpi_test(saving.${name}.${number}.on_${ranks} ${chain_PROGRAM} ${ranks} ${mode} ${words}
                    --nereus-save=${folder} ${resume} --nereus-verify=on ${chain_SETTINGS})
    math(EXPR next "${number} + 1")
    set_tests_properties(mpi.saving.${name}.${number}.on_${ranks}
                         PROPERTIES LABELS ${label} FIXTURES_REQUIRED saving.${name}.${number}
                                    FIXTURES_SETUP saving.${name}.${next})
    set(number ${next})
    set(mode next)
    set(resume --nereus-resume=${folder})
  endforeach()
  set(NEREUS_SAVED_IN ${folder} PARENT_SCOPE)
  set(NEREUS_SAVED_BY saving.${name}.${number} PARENT_SCOPE)
endfunction()

# Every size to every other one, and to itself.
nereus_saving_chain(shared mpi RANKS 1 1 2 1 3 1 4 2 2 3 2 4 3 3 4 4 1 SETTINGS --nereus-memory=shared)
nereus_saving_chain(private mpi RANKS 3 2 4 1 SETTINGS --nereus-memory=private)
nereus_saving_chain(larger whole RANKS 8 5 8 6 7 5 1 8 2 7 3 6 4 8 SETTINGS --nereus-memory=private)
nereus_saving_chain(then_resized mpi RANKS 2:3 2:1 3 SETTINGS --nereus-process-method=merge)

foreach(case other nothing more)
  set(sentence_other "registers .*another.* where the epoch has .*array 0")
  set(sentence_nothing "reaches nereus_checkpoint.* without having registered .*array 0")
  set(sentence_more "registers .*another.*, which the epoch does not have")
  nereus_saying_mpi_test(saving.refuses.${case} 1 "${sentence_${case}}" save_and_resume_test 2 ${case}
                         --nereus-resume=${NEREUS_SAVED_IN})
  set_tests_properties(mpi.saving.refuses.${case} PROPERTIES FIXTURES_REQUIRED ${NEREUS_SAVED_BY})
endforeach()

nereus_mpi_program(cpp_own_data_test)
nereus_saving_chain(cpp_own_data mpi PROGRAM cpp_own_data_test RANKS 2:3 1:2 3:1 SETTINGS --nereus-process-method=merge)

nereus_mpi_program(own_pieces_test)
nereus_saving_chain(own_pieces mpi PROGRAM own_pieces_test RANKS 3 3 1 4 2 2 SETTINGS --nereus-memory=auto)
nereus_saying_mpi_test(saving.refuses.own_load 1 "nereus_on_save..words.. refused with 5" own_pieces_test 2 refuses_load
                       --nereus-resume=${NEREUS_SAVED_IN})
nereus_saying_mpi_test(saving.refuses.own_name 1 "nereus_on_save.. for .others. where the epoch has data of .words."
                       own_pieces_test 2 other_name --nereus-resume=${NEREUS_SAVED_IN})
set_tests_properties(mpi.saving.refuses.own_load mpi.saving.refuses.own_name
                     PROPERTIES FIXTURES_REQUIRED ${NEREUS_SAVED_BY})
foreach(case refuses_save wrong_starts other_names moves_only)
  nereus_mpi_test(saving.own_pieces.${case} own_pieces_test 2 ${case}
                  --nereus-save=${CMAKE_CURRENT_BINARY_DIR}/saving.own_pieces.${case})
endforeach()

# nereus_hosts_chain(NAME PROGRAM STEPS...): epochs in memory of hosts. A step is HOSTS, or HOSTS:lost=HOSTS, or
# HOSTS:damaged=HOSTS, or HOSTS:variables=HOSTS: a rank for each letter, on the host that it names, after the memory of
# some was lost, or their newest epoch was changed (pretended_hosts.hpp).
function(nereus_hosts_chain name program)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/on_hosts.${name})
  add_test(NAME mpi.on_hosts.${name}.begin COMMAND ${CMAKE_COMMAND} -E rm -rf ${folder})
  set_tests_properties(mpi.on_hosts.${name}.begin PROPERTIES LABELS mpi FIXTURES_SETUP on_hosts.${name}.0)
  set(number 0)
  set(mode first)
  set(resume)
  foreach(step IN LISTS ARGN)
    string(REPLACE ":" ";" words ${step})
    list(POP_FRONT words hosts)
    string(LENGTH ${hosts} ranks)
    set(test on_hosts.${name}.${number}.on_${hosts})
    nereus_mpi_test(${test} ${program} ${ranks} ${mode} on=${hosts} ${words} --nereus-protect=buddy
                    --nereus-protect-folder=${folder} --nereus-protect-every=1e6 ${resume})
    math(EXPR next "${number} + 1")
    set_tests_properties(mpi.${test} PROPERTIES FIXTURES_REQUIRED on_hosts.${name}.${number} FIXTURES_SETUP
                                                on_hosts.${name}.${next})
    set(number ${next})
    set(mode next)
    set(resume --nereus-resume=${folder})
  endforeach()
endfunction()

nereus_hosts_chain(arrays save_and_resume_test aabbcc aabb:lost=c abab aabd bbdd:lost=a d:lost=b dabc dac:lost=b
                   aad:lost=c)
nereus_hosts_chain(one_each save_and_resume_test abc bca ca:lost=b a:lost=c aab)
nereus_hosts_chain(damaged save_and_resume_test abc abc:damaged=a abc:damaged=b ab ab:damaged=b ab:variables=ab
                   aab:variables=a)
nereus_hosts_chain(own_pieces own_pieces_test abc ab:lost=c bbd:lost=a ddd:lost=b ad dab)
