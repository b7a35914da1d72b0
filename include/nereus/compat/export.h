/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What the headers of peers' interfaces have in common.
 */
#ifndef NEREUS_COMPAT_EXPORT_H
#define NEREUS_COMPAT_EXPORT_H

#if defined(__GNUC__)
#define NEREUS_COMPAT_API __attribute__((visibility("default")))
#else
#define NEREUS_COMPAT_API
#endif

/* A call that Nereus cannot make good is an error of the compiler that says why; without the attribute, of the linker.
 */
#if defined(__has_attribute)
#if __has_attribute(unavailable)
#define NEREUS_COMPAT_UNAVAILABLE(why) __attribute__((unavailable(why)))
#endif
#endif
#ifndef NEREUS_COMPAT_UNAVAILABLE
#define NEREUS_COMPAT_UNAVAILABLE(why)
#endif

#endif
