// SPDX-License-Identifier: BSD-3-Clause
/** @file
 * The version of these headers. nereus_version() says that of the library, which may be another one's at run time.
 */
#ifndef NEREUS_VERSION_H
#define NEREUS_VERSION_H

#define NEREUS_VERSION_MAJOR 0
#define NEREUS_VERSION_MINOR 1
#define NEREUS_VERSION_PATCH 0

/** For comparisons by the preprocessor: 10203 is version 1.2.3. */
#define NEREUS_VERSION_NUMBER (NEREUS_VERSION_MAJOR * 10000 + NEREUS_VERSION_MINOR * 100 + NEREUS_VERSION_PATCH)

#endif
