// SPDX-License-Identifier: BSD-3-Clause
#include "job/data/registry.hpp"

#include <cstring>
#include <gtest/gtest.h>

namespace nereus::job {
namespace {

const Description x{"x", false, false, false, {plan::Layout::block, 100}, 8};
const Description y{"y", false, true, false, {plan::Layout::replicated, 7}, 4};
const Description iteration{"iteration", true, false, false, {plan::Layout::replicated, 1}, 8};

Entry entry(const Description &is) {
    Entry made;
    made.is = is;
    made.memory = library_memory();
    return made;
}

TEST(Registry, ANameIsTakenOnlyOnce) {
    Registry registry;
    registry.add(entry(x)); // arrays and values share one name space
    EXPECT_TRUE(registry.check_name(iteration.name));
    const auto again = registry.check_name(x.name);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code, NEREUS_ERR_NAME);
    EXPECT_EQ(again.error().what, "\"x\" is registered already");
    EXPECT_EQ(registry.entries().size(), 1u);
}

TEST(Registry, EverythingIsFoundByItsName) {
    Registry registry;
    for (const Description &is : {x, y, iteration}) registry.add(entry(is));
    EXPECT_EQ(registry.find("y")->is, y);
    EXPECT_EQ(registry.find("z"), nullptr);
}

TEST(Registry, ANewcomerRegistersInTheOrderOfTheJob) {
    Registry registry;
    registry.expect({entry(x), entry(y)});
    EXPECT_EQ(registry.bind(x).value()->is, x);
    EXPECT_TRUE(registry.expects_more());
    EXPECT_EQ(registry.bind(y).value()->is, y);
    EXPECT_FALSE(registry.expects_more());
}

TEST(Registry, ANewcomersMistakeIsNamedWithBothSides) {
    Registry registry;
    registry.expect({entry(x), entry(y)});
    const auto bound = registry.bind(y);
    ASSERT_FALSE(bound);
    EXPECT_EQ(bound.error().code, NEREUS_ERR_MISMATCH);
    EXPECT_EQ(bound.error().what,
              "this newcomer registers constant replicated array \"y\" of 7 x 4 B where the job has "
              "variable block array \"x\" of 100 x 8 B");
    EXPECT_TRUE(registry.bind(x)) << "a mistake must not use up what is expected";
}

TEST(Registry, EachPropertyOfAnArrayMustAgree) {
    std::vector<Description> others(6, x);
    others[0].name = y.name;
    others[1].value = true;
    others[2].constant = true;
    others[3].shape.layout = plan::Layout::replicated;
    others[4].shape.elements = 101;
    others[5].extent = 4;
    for (const Description &other : others) {
        Registry registry;
        registry.expect({entry(x)});
        EXPECT_FALSE(registry.bind(other)) << other.sentence();
    }
}

int released = 0;
nereus_memory counting_memory() {
    return {[](std::size_t bytes, void *) { return std::malloc(bytes); },
            [](void *memory, void *) {
                ++released;
                std::free(memory);
            },
            nullptr};
}

Entry with_memory(const Description &is, bool owned, void **pointer) {
    Entry made = entry(is);
    made.memory = counting_memory();
    made.data = made.memory.allocate(8, nullptr);
    made.pointer = pointer;
    made.owned = owned;
    made.point();
    return made;
}

TEST(Registry, OnlyMemoryOfTheLibraryIsFreedAndItsPointersAreReset) {
    released = 0;
    void *librarys = nullptr, *applications = nullptr;
    {
        Registry registry;
        registry.add(with_memory(x, true, &librarys));
        registry.add(with_memory(y, false, &applications));
        EXPECT_NE(librarys, nullptr);
    }
    EXPECT_EQ(released, 1);
    EXPECT_EQ(librarys, nullptr);
    ASSERT_NE(applications, nullptr);
    std::free(applications);
}

TEST(Memory, IsWritableToItsLastByteAndMayBeEmpty) {
    for (const nereus_memory memory : {library_memory(), c_memory()})
        for (const std::size_t bytes : {0, 1, 63, 64, 65, 4097}) {
            void *part = memory.allocate(bytes, memory.context);
            ASSERT_NE(part, nullptr) << bytes;
            std::memset(part, 1, bytes);
            memory.release(part, memory.context);
        }
}

TEST(Memory, OfTheLibraryBeginsOnACacheLine) {
    const nereus_memory memory = library_memory();
    void *part = memory.allocate(100, memory.context);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(part) % 64, 0u);
    memory.release(part, memory.context);
}

TEST(Memory, ThatCannotBeHadIsNull) {
    for (const nereus_memory memory : {library_memory(), c_memory()})
        for (const std::size_t bytes : {SIZE_MAX / 2, SIZE_MAX - 1, SIZE_MAX})
            EXPECT_EQ(memory.allocate(bytes, memory.context), nullptr) << bytes;
}

}
}
