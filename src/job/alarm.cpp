// SPDX-License-Identifier: BSD-3-Clause
#include "job/alarm.hpp"

namespace nereus::job {

Alarm::Alarm(MPI_Comm sources, bool root, News news) : sources_(sources), root_(root), hear_(std::move(news)) {
    if (!root_) start();
}

Alarm::~Alarm() {
    if (root_) {
        word_ = heard_ ? 1 : 0;
        start();
    }
    MPI_Wait(&request_, MPI_STATUS_IGNORE);
}

std::optional<Error> Alarm::ask() {
    if (heard_) return heard_;
    if (root_) return heard_ = hear_ ? hear_() : std::nullopt;
    int told = 0;
    MPI_Test(&request_, &told, MPI_STATUS_IGNORE);
    if (told != 0 && word_ != 0) heard_ = Error{NEREUS_ERR_PROCESS, "new processes ended"};
    return heard_;
}

}
