// SPDX-License-Identifier: BSD-3-Clause
// Which function a shared library calls under a name that it imports.
#pragma once

#include <stdint.h>

// Has the shared library that `inside` is a function of call the one at `function` wherever it calls the imported
// function `name`; the number of places that were changed. Before other threads run code of that library.
int redirect_calls(uintptr_t inside, const char *name, uintptr_t function);
