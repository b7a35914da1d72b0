// SPDX-License-Identifier: BSD-3-Clause
#include "command_line.hpp"

#include <fstream>

namespace nereus::compat {

CommandLine::CommandLine() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    for (std::string word; std::getline(file, word, '\0');) words_.push_back(word);
    if (words_.empty()) words_.emplace_back("program");
    for (std::string &word : words_) pointers_.push_back(word.data());
    pointers_.push_back(nullptr);
}

}
