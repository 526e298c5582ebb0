// SPDX-License-Identifier: Apache-2.0
// Every sample program, for the translation units that want them all.
#pragma once

#include "bytecode.h"
#include "casefold.h"
#include "chacha20.h"
#include "checksum.h"
#include "hash64.h"
#include "insertion_sort.h"
#include "jenkins.h"
#include "packet_parser.h"
#include "siphash.h"
#include "trial_division.h"
