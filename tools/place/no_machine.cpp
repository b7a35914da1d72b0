// SPDX-License-Identifier: BSD-3-Clause
// In place of machine.cpp where hwloc was not found.
#include "tools/place/machine.hpp"

namespace nereus::place {

Result<Inside> inside_of(const WhichMachine &) {
    return failed(NEREUS_ERR_UNSUPPORTED,
                  "this build has no hwloc (Debian: libhwloc-dev); a file with the slots of hosts does not need it");
}

}
