// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as what an epoch says of itself, which comes from a file. A job that continues believes what was read: that
// it is written and read again as the same, that sizes can be counted, and that no array is kept outside of the epoch's
// folder, is checked.
#include "job/saving/epoch_document.hpp"

#include <cstdlib>
#include <limits>

namespace {

using namespace nereus;

/// That the fuzzer, and the test of the corpus, are to find.
void expect(bool holds) {
    if (!holds) std::abort();
}

/// One folder below the epoch's, of a name that a file system and Zarr take.
void check_place(const epochs::ArrayForm &form) {
    const epochs::Path folder = form.folder();
    expect(folder.is_relative() && std::distance(folder.begin(), folder.end()) == 1);
    const std::string name = folder.string();
    expect(!name.empty() && name != "." && name != ".." && name.find('\0') == std::string::npos);
}

void check_sizes(const epochs::ArrayForm &form) {
    expect(form.elements >= 0 && form.extent >= 1);
    expect(form.elements <= std::numeric_limits<std::int64_t>::max() / form.extent);
    expect(form.chunks() >= 0 && form.chunk_bytes() <= std::max(epochs::most_chunk_bytes, form.extent));
    if (form.elements == 0) return;
    const auto parts = epochs::chunk_parts(form, {form.elements - 1, form.elements});
    expect(parts.size() == 1 && parts[0].bytes == form.extent && parts[0].chunk == form.chunks() - 1);
}

}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *bytes, std::size_t size) {
    const std::string text(reinterpret_cast<const char *>(bytes), size);
    const auto document = job::document_from(text);
    if (!document) {
        expect(document.error().code == NEREUS_ERR_MISMATCH && !document.error().what.empty());
        return 0;
    }
    const std::string written = job::as_text(*document);
    const auto again = job::document_from(written);
    expect(again && job::as_text(*again) == written);
    for (const epochs::ArrayForm &form : job::forms_of(*document)) {
        check_place(form);
        check_sizes(form);
        expect(form.check_metadata(form.metadata()).has_value());
        (void)form.check_metadata(text);
    }
    return 0;
}
