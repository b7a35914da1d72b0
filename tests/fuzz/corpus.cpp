// SPDX-License-Identifier: BSD-3-Clause
// Runs a fuzzer's function on the files of a folder, without a fuzzer. Usage: PROGRAM FOLDER
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *bytes, std::size_t size);

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    int files = 0;
    for (const auto &each : std::filesystem::directory_iterator(argv[1])) {
        std::printf("%s\n", each.path().filename().c_str()); // of the last one it tells where it ended
        std::fflush(stdout);
        std::ifstream file(each.path(), std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(file), {}};
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size());
        ++files;
    }
    return files > 0 ? 0 : 1;
}
