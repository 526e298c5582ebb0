# SPDX-License-Identifier: Apache-2.0
# skep_room(NAME SOURCES a.cc ... [TESTS a_test.cc ...] [DEPS skep_x ...] [PRIVATE_DEPS lib ...])
#   makes the static library skep_NAME of one folder of src/ and, where tests are built, the
#   GoogleTest program skep_NAME_test of its *_test.cc files (CTest label "unit").
# skep_gtest(NAME SOURCES ... DEPS ... [LABELS ...]) makes one GoogleTest program.
# skep_label(TARGET LABEL...) adds a program to tests_LABEL, the target that builds all tests of that label.
# Which instrumentation all of it gets (SKEP_SANITIZE, SKEP_FUZZ) is decided here as well.

add_library(skep_flags INTERFACE)
target_include_directories(skep_flags INTERFACE
  ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/include)
target_compile_options(skep_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wswitch
  $<$<BOOL:${SKEP_WERROR}>:-Werror>)
target_compile_definitions(skep_flags INTERFACE $<$<NOT:$<CONFIG:Release>>:_GLIBCXX_ASSERTIONS>)

if(SKEP_SANITIZE)
  string(REPLACE ";" "," sanitizers "${SKEP_SANITIZE}")
  add_compile_options(-fsanitize=${sanitizers} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${sanitizers})
  if(sanitizers MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
endif()
if(SKEP_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "SKEP_FUZZ needs clang (preset fuzz)")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

function(skep_label target)
  foreach(label IN LISTS ARGN)
    if(NOT TARGET tests_${label})
      add_custom_target(tests_${label})
    endif()
    add_dependencies(tests_${label} ${target})
  endforeach()
endfunction()
# What ./check asks for by name exists even where nothing has the label.
foreach(label IN ITEMS unit conformance fuzz tsan)
  add_custom_target(tests_${label})
endforeach()

function(skep_room name)
  cmake_parse_arguments(ARG "" "" "SOURCES;TESTS;DEPS;PRIVATE_DEPS" ${ARGN})
  string(REPLACE "/" "_" target skep_${name})
  add_library(${target} STATIC ${ARG_SOURCES})
  target_link_libraries(${target} PUBLIC $<BUILD_INTERFACE:skep_flags> ${ARG_DEPS}
    PRIVATE ${ARG_PRIVATE_DEPS})
  # A library must not throw (CONVENTIONS: errors are values).
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>)
  set_property(GLOBAL APPEND PROPERTY SKEP_ROOMS ${target})
  # What libskep must link besides the rooms (cmake/SkepInstall.cmake).
  set_property(GLOBAL APPEND PROPERTY SKEP_ROOM_LIBS ${ARG_DEPS} ${ARG_PRIVATE_DEPS})
  if(SKEP_TESTS AND ARG_TESTS)
    skep_gtest(${target}_test SOURCES ${ARG_TESTS} DEPS ${target} LABELS unit)
  endif()
endfunction()

function(skep_gtest name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} skep_flags GTest::gmock GTest::gtest_main)
  skep_label(${name} ${ARG_LABELS})
  # gtest_discover_tests cannot pass a list on; `ctest -L` matches a regular expression, so one word holds all labels.
  string(REPLACE ";" "-" labels "${ARG_LABELS}")
  gtest_discover_tests(${name} NO_PRETTY_VALUES DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS "${labels}" TIMEOUT 600)
endfunction()
