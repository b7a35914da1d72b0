/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The name by which programs written for MaM include it.
 */
#include <nereus/compat/mam.h>
