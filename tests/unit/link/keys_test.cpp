// SPDX-License-Identifier: BSD-3-Clause
#include "link/keys.hpp"

#include "peer.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>

namespace nereus::link {
namespace {

const std::string one(40, 'a'), other(40, 'b'), third(40, 'c');

std::string text_of(const std::string &own_public, const std::string &secret, const std::string &server) {
    return R"({"public":")" + own_public + R"(","secret":")" + secret + R"(","server":")" + server + R"("})";
}

/// A file of the test's folder with that text.
class KeyFile {
public:
    explicit KeyFile(const std::string &text, mode_t mode = S_IRUSR | S_IWUSR) {
        std::ofstream(path()) << text;
        chmod(path().c_str(), mode);
    }
    std::string path() const { return (folder_.path() / "client.json").string(); }
    /// What read_keys() says against it; "" where it takes it.
    std::string refusal() const {
        const auto keys = read_keys(path(), "controller-keys");
        return keys ? "" : keys.error().what;
    }

private:
    Folder folder_;
};

TEST(Keys, AFileOfKeysIsRead) {
    const KeyFile file(text_of(one, other, third));
    const auto keys = read_keys(file.path(), "link-keys");
    ASSERT_TRUE(keys);
    EXPECT_EQ(keys->own_public, one);
    EXPECT_EQ(keys->own_secret, other);
    EXPECT_EQ(keys->other_public, third);
}

TEST(Keys, ASecretThatOthersMayReadIsRefused) {
    for (const mode_t others : {S_IRGRP, S_IWGRP, S_IXGRP, S_IROTH, S_IWOTH, S_IXOTH}) {
        const KeyFile file(text_of(one, other, third), S_IRUSR | S_IWUSR | others);
        EXPECT_NE(file.refusal().find("allowed is mode 600"), std::string::npos) << others;
    }
}

TEST(Keys, AFileThatIsMissingIsToldWithItsName) {
    const auto keys = read_keys("/nowhere/client.json", "controller-keys");
    ASSERT_FALSE(keys);
    EXPECT_EQ(keys.error().code, NEREUS_ERR_SETTING);
    EXPECT_EQ(keys.error().what, "controller-keys = /nowhere/client.json: No such file or directory");
}

TEST(Keys, WhatIsNoFileOfKeysIsRefused) {
    const std::string with_a_number = R"({"public":7,"secret":")" + one + R"(","server":")" + one + R"("})";
    for (const std::string &text :
         {std::string(), std::string("{"), std::string("[]"), std::string("7"), std::string("{}"), with_a_number,
          text_of("", one, one), text_of(one, one + "a", one), text_of(one, one, std::string(39, 'a')),
          std::string("\xff\xfe"), std::string(1 << 16, '[')}) {
        const KeyFile file(text);
        EXPECT_NE(file.refusal().find("is no file of keys for jobs"), std::string::npos) << text.substr(0, 50);
    }
}

}
}
