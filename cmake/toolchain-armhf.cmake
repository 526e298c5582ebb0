# SPDX-License-Identifier: Apache-2.0
# 32-bit ARM (Debian armhf: ARMv7-A, VFPv3-D16, Thumb-2).
set(SKEP_ARCH armhf)
set(SKEP_TRIPLE arm-linux-gnueabihf)
set(SKEP_QEMU qemu-arm)
set(CMAKE_SYSTEM_PROCESSOR arm)
include(${CMAKE_CURRENT_LIST_DIR}/SkepCross.cmake)
