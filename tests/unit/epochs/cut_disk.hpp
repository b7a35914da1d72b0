// SPDX-License-Identifier: BSD-3-Clause
// A disk in memory of which any call can fail, or be the last one before a power cut. What was not synced may be lost
// by that, or not: bytes of a file, and names in a folder, each of them by itself.
#pragma once

#include "epochs/files.hpp"

#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <utility>

namespace nereus::epochs {

class CutDisk : public Files {
public:
    enum class Fault { fails_once, power_is_cut };

    /// @param at  number of the call that fails, from 0
    void fail(int at, Fault fault) {
        at_ = calls_ + at;
        fault_ = fault;
    }
    bool has_failed() const { return calls_ > at_; }
    int calls() const { return calls_; }

    /// Power is back. @param survives  asked for each file and folder: whether what was not synced is there still
    void power_on(const std::function<bool()> &survives) {
        at_ = never;
        for (const auto &node : nodes_) {
            if (!survives()) node->now = node->synced;
            node->synced = node->now;
        }
    }

    Result<std::unique_ptr<File>> open_to_write(const Path &path) override {
        if (fails()) return error(path);
        const auto folder = find(path.parent_path());
        if (!folder || folder->now.is_file) return error(path);
        auto &node = folder->now.names[path.filename().string()];
        if (!node) node = made(true);
        return std::make_unique<Open>(*this, node, path);
    }

    Result<std::unique_ptr<File>> open_to_read(const Path &path) override {
        const auto node = find(path);
        if (fails() || !node || !node->now.is_file) return error(path);
        return std::make_unique<Open>(*this, node, path);
    }

    bool exists(const Path &path) override { return find(path) != nullptr; }

    Done make_folder(const Path &path) override {
        if (fails()) return error(path);
        auto at = root_;
        for (const Path &part : path.relative_path()) {
            auto &next = at->now.names[part.string()];
            if (!next) next = made(false);
            at = next;
        }
        return {};
    }

    Done sync_folder(const Path &path) override {
        const auto node = find(path);
        if (fails() || !node) return error(path);
        node->synced = node->now;
        return {};
    }

    Done rename(const Path &from, const Path &to) override {
        const auto folder = find(from.parent_path());
        if (fails() || !folder || folder != find(to.parent_path())) return error(from);
        auto node = folder->now.names.extract(from.filename().string());
        if (!node) return error(from);
        folder->now.names[to.filename().string()] = node.mapped();
        return {};
    }

    Done link(const Path &file, const Path &name) override {
        const auto node = find(file), folder = find(name.parent_path());
        if (fails() || !node || !folder) return error(file);
        folder->now.names[name.filename().string()] = node;
        return {};
    }

    Done remove_all(const Path &path) override {
        if (fails()) return error(path);
        if (const auto node = find(path)) empty(*node);
        if (const auto folder = find(path.parent_path())) folder->now.names.erase(path.filename().string());
        return {};
    }

    Result<std::vector<std::string>> names_in(const Path &path) override {
        if (fails()) return error(path);
        std::vector<std::string> names;
        if (const auto node = find(path))
            for (const auto &[name, below] : node->now.names) names.push_back(name);
        return names;
    }

private:
    static constexpr int never = std::numeric_limits<int>::max();

    struct Node;
    struct State {
        bool is_file = false;
        std::string bytes{};
        std::map<std::string, std::shared_ptr<Node>> names{};
    };
    struct Node {
        State now, synced;
    };

    class Open : public File {
    public:
        Open(CutDisk &disk, std::shared_ptr<Node> node, Path path)
            : disk_(disk), node_(std::move(node)), path_(std::move(path)) {}
        Done write_at(std::int64_t place, const std::byte *bytes, std::size_t count) override {
            auto &to = node_->now.bytes;
            const auto at = static_cast<std::size_t>(place);
            const bool fails = disk_.fails();
            const std::size_t written = fails ? count / 2 : count; // a full disk takes a part
            if (to.size() < at + written) to.resize(at + written);
            if (written > 0) std::memcpy(to.data() + at, bytes, written);
            return fails ? error(path_) : Done{};
        }
        Done read_at(std::int64_t place, std::byte *bytes, std::size_t count) override {
            const auto at = static_cast<std::size_t>(place);
            if (disk_.fails() || at + count > node_->now.bytes.size()) return error(path_);
            if (count > 0) std::memcpy(bytes, node_->now.bytes.data() + at, count);
            return {};
        }
        Done sync() override {
            if (disk_.fails()) return error(path_);
            node_->synced = node_->now;
            return {};
        }
        Result<std::int64_t> length() override {
            if (disk_.fails()) return error(path_);
            return std::ssize(node_->now.bytes);
        }

    private:
        CutDisk &disk_;
        std::shared_ptr<Node> node_;
        Path path_;
    };

    static tl::unexpected<Error> error(const Path &path) { return failed(NEREUS_ERR_STATE, path.string() + ": fails"); }

    bool fails() {
        const int number = calls_++;
        return fault_ == Fault::fails_once ? number == at_ : number >= at_;
    }

    std::shared_ptr<Node> made(bool is_file) {
        nodes_.push_back(std::make_shared<Node>());
        nodes_.back()->now.is_file = nodes_.back()->synced.is_file = is_file;
        return nodes_.back();
    }

    std::shared_ptr<Node> find(const Path &path) const {
        auto at = root_;
        for (const Path &part : path.relative_path()) {
            if (!at || part.empty()) return at;
            const auto found = at->now.names.find(part.string());
            at = found == at->now.names.end() ? nullptr : found->second;
        }
        return at;
    }

    /// Names go one by one, those furthest in first.
    static void empty(Node &node) {
        for (auto &[name, below] : node.now.names) empty(*below);
        node.now.names.clear();
    }

    std::vector<std::shared_ptr<Node>> nodes_;
    std::shared_ptr<Node> root_ = made(false);
    int calls_ = 0, at_ = never;
    Fault fault_ = Fault::fails_once;
};

}
