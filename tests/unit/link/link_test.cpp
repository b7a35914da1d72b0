// SPDX-License-Identifier: BSD-3-Clause
#include "link/link.hpp"

#include "link/message.hpp"
#include "peer.hpp"

#include <chrono>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <set>
#include <thread>
#include <zmq.h>

namespace nereus::link {
namespace {

using nlohmann::json;

std::string good_frame(const std::string &kind) { return written_frame({{"kind", kind}}, job).value(); }

/// The next message, waited for; an empty object when there is none in time.
json next(Link &link) {
    for (int i = 0; i < 20000; ++i) {
        if (auto message = link.poll()) return *message;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return json::object();
}

/// A link and its supervisor that have heard of each other.
class LinkTest : public testing::Test {
protected:
    LinkTest() {
        EXPECT_TRUE(link.send({{"kind", "root"}}));
        EXPECT_EQ(json::parse(peer.receive()), json({{"version", 1}, {"job", job}, {"kind", "root"}}));
    }
    Folder folder;
    Peer peer{folder.address()};
    Link link = Link::open(folder.address(), job).value();
};

TEST_F(LinkTest, MessagesTravelInBothDirections) {
    peer.send({good_frame("resize")});
    EXPECT_EQ(next(link)["kind"], "resize");
}

TEST_F(LinkTest, NothingIsHeardWhereNothingWasSaid) { EXPECT_FALSE(link.poll()); }

TEST_F(LinkTest, MessagesComeInTheirOrder) {
    for (int i = 0; i < 50; ++i) peer.send({good_frame(std::to_string(i))});
    for (int i = 0; i < 50; ++i) EXPECT_EQ(next(link)["kind"], std::to_string(i));
}

TEST_F(LinkTest, WhatCannotBeReadIsPassedOver) {
    for (const char *bad : {"", "{", "[]", "\xff", "{\"version\":1,\"job\":\"other\",\"kind\":\"resize\"}"})
        peer.send({bad});
    peer.send({std::string(longest_frame + 1, ' ')});
    peer.send({good_frame("died")});
    EXPECT_EQ(next(link)["kind"], "died");
}

TEST_F(LinkTest, AMessageInPartsIsDroppedWhole) {
    peer.send({good_frame("first"), good_frame("second"), good_frame("third")});
    peer.send({good_frame("resize")});
    EXPECT_EQ(next(link)["kind"], "resize");
}

TEST_F(LinkTest, AFloodOfBadFramesOnlyDelaysTheGoodOne) {
    for (int i = 0; i < 500; ++i) peer.send({"{}"});
    peer.send({good_frame("resize")});
    EXPECT_EQ(next(link)["kind"], "resize");
}

TEST_F(LinkTest, ALinkThatWasMovedGoesOn) {
    Link other = std::move(link);
    link = std::move(other);
    EXPECT_TRUE(link.send({{"kind", "closing"}}));
    EXPECT_EQ(json::parse(peer.receive())["kind"], "closing");
}

TEST_F(LinkTest, ALinkCanBeReplacedByAnother) {
    link = Link::open(folder.address(), job).value();
    EXPECT_TRUE(link.send({{"kind", "root"}}));
    EXPECT_EQ(json::parse(peer.receive())["kind"], "root");
}

TEST(LinkOpen, WhatWasSentBeforeTheEndStillGoesOut) {
    const Folder folder;
    Peer peer(folder.address());
    {
        Link link = Link::open(folder.address(), job).value();
        ASSERT_TRUE(link.send({{"kind", "closing"}}));
    }
    EXPECT_EQ(json::parse(peer.receive())["kind"], "closing");
}

TEST(LinkOpen, ASupervisorThatComesLaterGetsWhatWasSent) {
    const Folder folder;
    Link link = Link::open(folder.address(), job).value();
    ASSERT_TRUE(link.send({{"kind", "root"}}));
    Peer peer(folder.address());
    EXPECT_EQ(json::parse(peer.receive())["kind"], "root");
}

TEST(LinkOpen, ASupervisorThatIsGoneHoldsNobodyUp) {
    const Folder folder;
    Link link = Link::open(folder.address(), job).value();
    int accepted = 0;
    while (accepted < 1000000 && link.send({{"kind", "root"}})) ++accepted;
    const auto done = link.send({{"kind", "root"}});
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, NEREUS_ERR_PROCESS);
    EXPECT_EQ(done.error().what, "a message cannot be sent: there is no receiver, or too many messages wait");
    EXPECT_FALSE(link.poll());
}

std::set<int> open_descriptors() {
    std::set<int> found;
    for (int i = 0; i < 1024; ++i)
        if (fcntl(i, F_GETFD) != -1) found.insert(i);
    return found;
}

TEST(LinkOpen, ProgramsThatAreStartedMeanwhileDoNotInheritIt) {
    const std::set<int> before = open_descriptors();
    const Folder folder;
    Peer peer(folder.address());
    Link link = Link::open(folder.address(), job).value();
    ASSERT_TRUE(link.send({{"kind", "root"}}));
    ASSERT_NE(peer.receive(), "");
    const std::set<int> now = open_descriptors();
    EXPECT_GT(now.size(), before.size());
    for (const int descriptor : now) {
        if (before.contains(descriptor)) continue;
        EXPECT_TRUE(fcntl(descriptor, F_GETFD) & FD_CLOEXEC) << descriptor;
    }
}

TEST(LinkOpen, ALinkLeavesNoDescriptorBehind) {
    const std::set<int> before = open_descriptors();
    for (int i = 0; i < 20; ++i) {
        const Folder folder;
        Peer peer(folder.address());
        Link link = Link::open(folder.address(), job).value();
        ASSERT_TRUE(link.send({{"kind", "root"}}));
        ASSERT_NE(peer.receive(), "");
    }
    EXPECT_EQ(open_descriptors(), before);
}

TEST(LinkOpen, ABadAddressIsRefusedWithWhatIsAllowed) {
    for (const std::string address : {"", "link", "inproc://link", "ipc://", "tcp://", "tcp://host", "tcp://host:port",
                                      "http://host:80", "udp://host:80"}) {
        const auto link = Link::open(address, job);
        ASSERT_FALSE(link) << address;
        EXPECT_EQ(link.error().code, NEREUS_ERR_SETTING);
        EXPECT_TRUE(link.error().what.starts_with(address + ": ")) << link.error().what;
    }
    EXPECT_FALSE(Link::open("ipc:///" + std::string(200, 'x'), job));
}

TEST(LinkOpen, AJobWithoutANameIsRefused) { EXPECT_FALSE(Link::open("ipc:///nowhere/link", "")); }

}
}
