# SPDX-License-Identifier: Apache-2.0
# Fails when PAGE is not what PROGRAM prints, and says how to write it anew.
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE fresh COMMAND_ERROR_IS_FATAL ANY)
file(READ ${PAGE} page)
if(NOT page STREQUAL fresh)
  message(FATAL_ERROR "${PAGE} is stale: cmake --build ${BUILD} --target docs")
endif()
