# SPDX-License-Identifier: BSD-3-Clause
# cmake -DEXPECTED=LINE -P expect_line.cmake -- COMMAND...
#
# Runs COMMAND; fails unless it succeeds and LINE is one of the lines that it prints, and is there once.
# (CTest's PASS_REGULAR_EXPRESSION would not look at the exit code any more.)
cmake_minimum_required(VERSION 3.25)

set(command "")
set(after_dashes FALSE)
math(EXPR end "${CMAKE_ARGC} - 1")
foreach(i RANGE ${end})
  if(after_dashes)
    list(APPEND command "${CMAKE_ARGV${i}}")
  elseif("${CMAKE_ARGV${i}}" STREQUAL "--")
    set(after_dashes TRUE)
  endif()
endforeach()

execute_process(COMMAND ${command} RESULT_VARIABLE code OUTPUT_VARIABLE output ECHO_OUTPUT_VARIABLE)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "exit code ${code}")
endif()
string(REPLACE "\n" ";" lines "${output}")
list(FILTER lines INCLUDE REGEX "^${EXPECTED}$")
list(LENGTH lines times)
if(NOT times EQUAL 1)
  message(FATAL_ERROR "this line was not printed once, but ${times} times: ${EXPECTED}")
endif()
