// SPDX-License-Identifier: BSD-3-Clause
#include "link/daemon_connection.hpp"

#include "base/clock.hpp"
#include "link/message.hpp"
#include "peer.hpp"

#include <gtest/gtest.h>

namespace nereus::link {
namespace {

using nlohmann::json;

std::unique_ptr<DaemonConnection> a_line(const std::string &address) {
    return DaemonConnection::open(address, "", job, {{"most", 8}}).value();
}

/// What a daemon says, as far as a test needs it.
class Daemon {
public:
    explicit Daemon(const std::string &address) : peer_(address) {}

    /// The next message of that kind; those before it are dropped.
    json next(const std::string &kind) {
        for (;;) {
            const auto message = read_frame(peer_.receive(), job);
            if (!message) throw std::runtime_error("no message of kind " + kind);
            if (message->at("kind") == kind) return *message;
        }
    }
    void say(const json &message) { peer_.send({written_frame(message, job).value()}); }
    void welcome() {
        next("hello");
        say({{"kind", "welcome"}, {"instance", "a"}, {"heartbeat_seconds", 0.1}, {"lease_seconds", 10}});
        next("heartbeat");
    }

private:
    Peer peer_;
};

TEST(DaemonConnection, WithoutADaemonOnlyTheFirstIoPhaseWaits) {
    const Folder folder;
    const auto line = a_line(folder.address());
    EXPECT_EQ(line->wait_for_turn(1, 0, 0, 0.2), 0U);
    const Stopwatch watch;
    EXPECT_EQ(line->wait_for_turn(2, 0, 0, 0.2), 0U);
    EXPECT_LT(watch.seconds(), 0.2);
}

TEST(DaemonConnection, TheFirstIoPhaseWaitsForADaemonThatIsJustBeingMet) {
    const Folder folder;
    Daemon daemon(folder.address());
    const auto line = a_line(folder.address());
    std::thread answers([&] {
        daemon.welcome();
        daemon.next("io_request");
        daemon.say({{"kind", "grant"}, {"number", 1}, {"epoch", 5}});
    });
    EXPECT_EQ(line->wait_for_turn(1, 0, 0, 20), 5U);
    answers.join();
}

TEST(DaemonConnection, OnTheNetworkKeysAreNeeded) {
    const auto line = DaemonConnection::open("tcp://127.0.0.1:7", "", job, {{"most", 8}});
    ASSERT_FALSE(line);
    EXPECT_NE(line.error().what.find("controller-keys"), std::string::npos);
}

TEST(DaemonConnection, ATurnIsWaitedForWhileTheDaemonLives) {
    const Folder folder;
    Daemon daemon(folder.address());
    const auto line = a_line(folder.address());
    daemon.welcome();
    std::thread answers([&] {
        daemon.next("io_request");
        for (int i = 0; i < 10; ++i) {
            daemon.next("heartbeat");
            daemon.say({{"kind", "alive"}, {"instance", "a"}, {"turn", true}});
        }
        daemon.say({{"kind", "grant"}, {"number", 1}, {"epoch", 5}});
    });
    EXPECT_EQ(line->wait_for_turn(1, 0, 0, 0.8), 5U) << "the daemon was heard of all the time";
    answers.join();
}

TEST(DaemonConnection, AJobGoesOnWhenTheDaemonFallsSilent) {
    const Folder folder;
    Daemon daemon(folder.address());
    const auto line = a_line(folder.address());
    daemon.welcome();
    EXPECT_EQ(line->wait_for_turn(1, 0, 0, 0.3), 0U);
}

TEST(DaemonConnection, ADaemonThatCameBackIsFoundAgain) {
    const Folder folder;
    const auto line = [&] {
        Daemon daemon(folder.address());
        auto made = a_line(folder.address());
        daemon.welcome();
        return made;
    }();
    Daemon again(folder.address());
    again.next("heartbeat");
    again.say({{"kind", "who"}});
    EXPECT_EQ(again.next("hello").at("most"), 8);
}

TEST(DaemonConnection, AJobThatIsOpenedAgainByTheSameNameIsAnotherOneAndANewRootIsNot) {
    const Folder folder;
    Daemon daemon(folder.address());
    auto line = a_line(folder.address());
    const json first = daemon.next("hello").at("opening");
    const json carried = line->as_json();
    line = DaemonConnection::open(folder.address(), "", job, {{"most", 8}}, carried).value();
    EXPECT_EQ(daemon.next("heartbeat").at("opening"), first);
    line = a_line(folder.address());
    EXPECT_GT(daemon.next("hello").at("opening"), first);
}

TEST(DaemonConnection, ACommandReachesTheJob) {
    const Folder folder;
    Daemon daemon(folder.address());
    const auto line = a_line(folder.address());
    daemon.welcome();
    daemon.say({{"kind", "resize"}, {"command", 1}, {"ranks", 4}, {"at", 10}, {"options", json::object()}});
    daemon.next("heard");
    EXPECT_EQ(line->next_command_at(), 10);
    EXPECT_FALSE(line->take_command(9));
    EXPECT_EQ(line->take_command(10)->ranks, 4);
}

TEST(DaemonConnection, GoodbyeWaitsUntilItIsNoted) {
    const Folder folder;
    Daemon daemon(folder.address());
    auto line = a_line(folder.address());
    daemon.welcome();
    std::thread leaves([&] { line->say_goodbye(); });
    const json goodbye = daemon.next("goodbye");
    daemon.say({{"kind", "noted"}, {"id", goodbye.at("id")}});
    leaves.join();
}

}
}
