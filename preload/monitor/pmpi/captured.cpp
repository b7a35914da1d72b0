// SPDX-License-Identifier: BSD-3-Clause
#include "pmpi/captured.hpp"

#include "pmpi/call_sink.hpp"

#include <algorithm>
#include <link.h>
#include <string_view>
#include <thread>
#include <utility>

namespace nereus::pmpi {
namespace {

using monitor::CallShape;
using monitor::Moment;

struct Span {
    std::uintptr_t begin = 0, end = 0;

    bool has(const void *place) const {
        const auto at = reinterpret_cast<std::uintptr_t>(place);
        return at >= begin && at < end;
    }
};

Span span_of(const dl_phdr_info &library) {
    Span span{UINTPTR_MAX, 0};
    for (int i = 0; i < library.dlpi_phnum; ++i) {
        const auto &part = library.dlpi_phdr[i];
        if (part.p_type != PT_LOAD) continue;
        span.begin = std::min<std::uintptr_t>(span.begin, library.dlpi_addr + part.p_vaddr);
        span.end = std::max<std::uintptr_t>(span.end, library.dlpi_addr + part.p_vaddr + part.p_memsz);
    }
    return span;
}

/// Where the library lies that resizes the program.
int look_for_nereus(dl_phdr_info *library, std::size_t, void *found) {
    const std::string_view path = library->dlpi_name;
    if (path.find("/libnereus.so") == std::string_view::npos) return 0;
    *static_cast<Span *>(found) = span_of(*library);
    return 1;
}

class Captured final : public CallSink {
public:
    Captured(std::unique_ptr<monitor::TimedCalls> calls, CapturePlace place)
        : place_(std::move(place)), calls_(std::move(calls)) {
        dl_iterate_phdr(look_for_nereus, &nereus_);
    }

    bool takes(const void *caller) const override {
        return std::this_thread::get_id() == thread_ && !nereus_.has(caller);
    }
    Moment now() const override { return Moment::now(); }
    void note(const CallShape &shape, Envelope, Moment begin, Moment end) override { calls_->note(shape, begin, end); }
    void note_in_vain(const CallShape &shape, Moment begin, Moment end) override {
        calls_->note_in_vain(shape, begin, end);
    }

    Done end() { return calls_->end({{"world", place_.world}, {"rank", place_.rank}, {"ranks", place_.ranks}}); }

private:
    CapturePlace place_;
    std::unique_ptr<monitor::TimedCalls> calls_;
    std::thread::id thread_ = std::this_thread::get_id();
    Span nereus_;
};

/// Not given back: a thread of the program may be in a call when the capture ends.
Captured *captured = nullptr;

}

Done begin_captured(const CapturePlace &place) {
    auto begun = monitor::TimedCalls::begin({place.folder, place.world + "-" + std::to_string(place.rank), place.most});
    if (!begun) return tl::unexpected(begun.error());
    captured = new Captured(std::move(*begun), place);
    call_sink.store(captured, std::memory_order_release);
    return {};
}

Done end_captured() {
    Captured *const ending = std::exchange(captured, nullptr);
    if (!ending) return {};
    call_sink = nullptr;
    return ending->end();
}

}
