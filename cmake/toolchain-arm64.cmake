# SPDX-License-Identifier: Apache-2.0
# 64-bit ARM (Debian arm64: ARMv8-A).
set(SKEP_ARCH arm64)
set(SKEP_TRIPLE aarch64-linux-gnu)
set(SKEP_QEMU qemu-aarch64)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/SkepCross.cmake)
