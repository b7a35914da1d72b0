// SPDX-License-Identifier: BSD-3-Clause
// Ways to resize by the words that users write, and which transfers no MPI can carry out.
//
// The words are those of methods.toml: words::transfer_methods and the like, where a word's place is its number.
#pragma once

#include "base/error.hpp"
#include "base/methods_table.hpp"

#include <optional>
#include <string>
#include <vector>

namespace nereus {

/// The place of a word; none where it is not there.
std::optional<int> number_of(const std::vector<std::string> &words, const std::string &word);

/// "unknown" where there is none of that number.
const std::string &word_of(const std::vector<std::string> &words, int number);

/// As a user may write them: "auto, p2p, col".
std::string allowed_of(const std::vector<std::string> &words);

/// "p2p, wait-drains"
std::string words_of_transfer(int method, int strategy);

/// Whether drains read from windows of the sources (MPI 4.1, chapter 12).
bool is_one_sided(int transfer_method);

/// NEREUS_ERR_UNSUPPORTED saying why no MPI has a transfer so, and what it has. `auto` goes with all.
Done check_transfer(int process_method, int method, int strategy);

}
