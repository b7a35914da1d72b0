// SPDX-License-Identifier: BSD-3-Clause
// What ranks will send each other after a resize, judged by what they sent each other before it.
//
// Nobody but the program knows it. It is taken that ranks cut one problem in the order of their ranks, as arrays in
// blocks are cut: each drain goes on with the work of the sources whose place it takes, and has with the heirs of
// another source what they had with each other, heir by heir in order. What went on within a source is not known; where
// it is cut, its neighbours in the order of ranks tell: pairs of neighbours (the last and the first rank are such too)
// stay pairs of neighbours and have what these had.
#pragma once

#include "plan/mapping/traffic.hpp"

namespace nereus::plan {

/// For `drains` ranks; the same where there are as many sources.
mapping::Traffic foreseen(const mapping::Traffic &sources, int drains);

}
