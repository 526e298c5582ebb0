# SPDX-License-Identifier: Apache-2.0
# What the toolchain files of armhf and arm64 share. They set SKEP_ARCH (Debian's name), SKEP_TRIPLE (GNU's) and
# SKEP_QEMU; this adds compilers, the unpacked sysroot (cmake/sysroot.sh) and qemu-user as the emulator of CTest.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_C_COMPILER ${SKEP_TRIPLE}-gcc)
set(CMAKE_CXX_COMPILER ${SKEP_TRIPLE}-g++)
set(CMAKE_LIBRARY_ARCHITECTURE ${SKEP_TRIPLE})

get_filename_component(SKEP_SYSROOT_DIR ${CMAKE_CURRENT_LIST_DIR}/../build/sysroot/${SKEP_ARCH} ABSOLUTE)
set(SKEP_SYSROOT ${SKEP_SYSROOT_DIR}/root)
# CMake reads a toolchain file several times, also for each small compile test: fetch once.
if(NOT EXISTS ${SKEP_SYSROOT_DIR}/done OR ${CMAKE_CURRENT_LIST_DIR}/sysroot.sh IS_NEWER_THAN ${SKEP_SYSROOT_DIR}/done)
  execute_process(COMMAND ${CMAKE_CURRENT_LIST_DIR}/sysroot.sh ${SKEP_ARCH} ${SKEP_SYSROOT_DIR}
    RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "no ${SKEP_ARCH} libraries: see ${SKEP_SYSROOT_DIR}/apt/log")
  endif()
  file(TOUCH ${SKEP_SYSROOT_DIR}/done)
endif()

# Libraries and headers come from the sysroot or the cross compiler, programs (python, ccache) from this machine.
set(CMAKE_FIND_ROOT_PATH ${SKEP_SYSROOT} /usr/${SKEP_TRIPLE})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${SKEP_SYSROOT}/usr/lib/${SKEP_TRIPLE}/pkgconfig:${SKEP_SYSROOT}/usr/share/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${SKEP_SYSROOT})

# -rpath-link: where the linker finds the libraries that our libraries need.
set(CMAKE_EXE_LINKER_FLAGS_INIT -Wl,-rpath-link,${SKEP_SYSROOT}/usr/lib/${SKEP_TRIPLE}:${SKEP_SYSROOT}/lib/${SKEP_TRIPLE})
set(CMAKE_SHARED_LINKER_FLAGS_INIT -Wl,-rpath-link,${SKEP_SYSROOT}/usr/lib/${SKEP_TRIPLE}:${SKEP_SYSROOT}/lib/${SKEP_TRIPLE})
set(CMAKE_CROSSCOMPILING_EMULATOR
  ${SKEP_QEMU} -L /usr/${SKEP_TRIPLE} -E LD_LIBRARY_PATH=${SKEP_SYSROOT}/usr/lib/${SKEP_TRIPLE}:${SKEP_SYSROOT}/lib/${SKEP_TRIPLE})
