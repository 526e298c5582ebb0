// SPDX-License-Identifier: Apache-2.0
// Whether thread sanitizer watches this build: g++ says it with a macro, clang with a feature. Code
// that is right on the hardware but outside of the language's memory model takes another way then.
// Tested by what uses it, in the preset tsan.
#pragma once

namespace skep {

#if defined(__SANITIZE_THREAD__)
inline constexpr bool kThreadSanitizer = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif
#else
inline constexpr bool kThreadSanitizer = false;
#endif

}  // namespace skep
