# SPDX-License-Identifier: Apache-2.0
# libskep: the objects of every room (global property SKEP_ROOMS) in one static and one shared library, and all that
# `cmake --install` puts down: public headers, CMake package (skep::skep shared, skep::skep_static), skep.pc.
# Components: Runtime (shared library), Development (headers, archive, packages), Tools (commands).
# Why rooms are merged here and not libraries of their own: docs/adr/0001-one-target-a-room.md.
include(CMakePackageConfigHelpers)

get_property(rooms GLOBAL PROPERTY SKEP_ROOMS)
get_property(room_libs GLOBAL PROPERTY SKEP_ROOM_LIBS)
set(objects "")
foreach(room IN LISTS rooms)
  list(APPEND objects $<TARGET_OBJECTS:${room}>)
endforeach()

# What the rooms link that is not a room: needed to link the shared library, and by users of the static one.
# tl::expected is headers only and in no public header, so nobody needs it after the build.
list(REMOVE_DUPLICATES room_libs)
list(FILTER room_libs EXCLUDE REGEX "^skep_|^tl::expected$")

add_library(skep SHARED ${objects})
add_library(skep_static STATIC ${objects})
foreach(library IN ITEMS skep skep_static)
  add_library(skep::${library} ALIAS ${library})
  target_link_libraries(${library} PRIVATE ${room_libs})
  target_include_directories(${library} INTERFACE
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${library} INTERFACE cxx_std_20)
  set_target_properties(${library} PROPERTIES OUTPUT_NAME skep LINKER_LANGUAGE CXX)
endforeach()
# Before 1.0 a minor version may break the C face, so the soname names it.
set_target_properties(skep PROPERTIES VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
target_link_options(skep PRIVATE
  -Wl,--exclude-libs,ALL $<$<NOT:$<BOOL:${SKEP_SANITIZE}>>:-Wl,--no-undefined>)

install(TARGETS skep skep_static EXPORT skep-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT Runtime NAMELINK_COMPONENT Development
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT Development)
install(DIRECTORY include/skep ${CMAKE_BINARY_DIR}/include/skep DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT Development FILES_MATCHING PATTERN "*.h" PATTERN "*.def")

# The CMake package. skep_static names the libraries it needs, so the package looks for each before.
set(find_lines "")
set(pc_private "")
foreach(library IN LISTS room_libs)
  if(library STREQUAL "Pcap::Pcap")
    string(APPEND find_lines "find_dependency(Pcap)\n")
    string(APPEND pc_private " -lpcap")
  elseif(library STREQUAL "Zstd::Zstd")
    string(APPEND find_lines "find_dependency(Zstd)\n")
    string(APPEND pc_private " -lzstd")
  elseif(library STREQUAL "ZLIB::ZLIB")
    string(APPEND find_lines "find_dependency(ZLIB)\n")
    string(APPEND pc_private " -lz")
  elseif(library STREQUAL "fmt::fmt")
    string(APPEND find_lines "find_dependency(fmt)\n")
    string(APPEND pc_private " -lfmt")
  elseif(library STREQUAL "Threads::Threads")
    string(APPEND find_lines "find_dependency(Threads)\n")
    string(APPEND pc_private " -pthread")
  else()
    message(FATAL_ERROR "a room links ${library}: say in cmake/SkepInstall.cmake how users of libskep.a find it")
  endif()
endforeach()
set(SKEP_FIND_DEPENDENCIES "${find_lines}")
set(SKEP_PC_LIBS_PRIVATE "${pc_private} -lstdc++")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/skep)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/skepConfig.cmake.in
  ${CMAKE_BINARY_DIR}/package/skepConfig.cmake INSTALL_DESTINATION ${package_dir}
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/package/skepConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
configure_file(${CMAKE_SOURCE_DIR}/cmake/skep.pc.in ${CMAKE_BINARY_DIR}/package/skep.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/package/skepConfig.cmake ${CMAKE_BINARY_DIR}/package/skepConfigVersion.cmake
  cmake/FindPcap.cmake cmake/FindZstd.cmake
  DESTINATION ${package_dir} COMPONENT Development)
install(EXPORT skep-targets FILE skepTargets.cmake NAMESPACE skep:: DESTINATION ${package_dir}
  COMPONENT Development)
install(FILES ${CMAKE_BINARY_DIR}/package/skep.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
  COMPONENT Development)
