#include "support/files.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <new>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace samples {

namespace {

namespace fs = std::filesystem;

struct close_file {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using open_file = std::unique_ptr<std::FILE, close_file>;

[[noreturn]] void fail(const fs::path& path, const std::string& reason)
{
    throw std::runtime_error(fmt::format("{}: {}", path.string(), reason));
}

std::string last_reason()
{
    return std::generic_category().message(errno);
}

void write_content(const fs::path& path, const std::string& content, const fs::path& name_in_errors)
{
    open_file file(std::fopen(path.c_str(), "wb"));
    if (!file)
        fail(name_in_errors, "cannot be written: " + last_reason());
    const bool written = std::fwrite(content.data(), 1, content.size(), file.get()) == content.size();
    // What the buffer still holds can be what does not fit on the disk.
    if (!written || std::fflush(file.get()) != 0)
        fail(name_in_errors, "cannot be written: " + last_reason());
}

/// Whether a file is beside its place first; a device or a pipe is written through.
bool is_staged(const fs::path& path)
{
    std::error_code error;
    if (fs::is_directory(path, error))
        fail(path, "cannot be written: it is a folder");
    return !fs::exists(path, error) || fs::is_regular_file(path, error);
}

/// Files beside their places, taken away again unless they are moved there.
class staged_files {
public:
    staged_files() = default;
    staged_files(const staged_files&) = delete;
    staged_files& operator=(const staged_files&) = delete;
    ~staged_files()
    {
        std::error_code ignored;
        for (const auto& [temporary, place] : moves_)
            fs::remove(temporary, ignored);
    }

    void add(const output_file& file)
    {
        std::error_code none;
        const fs::path place = fs::weakly_canonical(file.path, none);
        moves_.emplace_back(fmt::format("{}.{}.part", place.string(), getpid()), place);
        write_content(moves_.back().first, file.content, file.path);
    }
    void move_all()
    {
        for (; !moves_.empty(); moves_.pop_back()) {
            std::error_code error;
            fs::rename(moves_.back().first, moves_.back().second, error);
            if (error)
                fail(moves_.back().second, "cannot be written: " + error.message());
        }
    }

private:
    std::vector<std::pair<fs::path, fs::path>> moves_;
};

}  // namespace

std::vector<std::uint8_t> read_file(const fs::path& path)
{
    std::error_code error;
    if (fs::is_directory(path, error))
        fail(path, "is a folder");
    const open_file file(std::fopen(path.c_str(), "rb"));
    if (!file)
        fail(path, "cannot be read: " + last_reason());
    const auto check_size = [&path](std::uintmax_t size) {
        if (size > most_input_bytes)
            fail(path, fmt::format("has more than {} GiB, the most that is read", most_input_gib));
    };

    try {
        std::vector<std::uint8_t> bytes;
        // The size is a hint: there are files that grow, and others, as in /proc, that do not tell.
        const auto told = fs::file_size(path, error);
        check_size(error ? 0 : told);
        bytes.resize(std::max(error ? 0 : static_cast<std::size_t>(told) + 1, std::size_t{1} << 16));
        for (std::size_t size = 0;; bytes.resize(std::min(2 * size, most_input_bytes + 1))) {
            size += std::fread(bytes.data() + size, 1, bytes.size() - size, file.get());
            check_size(size);
            if (size == bytes.size())
                continue;
            if (std::ferror(file.get()) != 0)
                fail(path, "cannot be read: " + last_reason());
            bytes.resize(size);
            return bytes;
        }
    } catch (const std::bad_alloc&) {
        fail(path, "is too large for the memory of this machine");
    } catch (const std::length_error&) {
        fail(path, "is too large for the memory of this machine");
    }
}

bool is_same_file(const fs::path& one, const fs::path& other)
{
    std::error_code error;
    if (fs::equivalent(one, other, error))  // which both have to be there for
        return true;
    const fs::path place = fs::weakly_canonical(fs::absolute(one), error);
    return !place.empty() && place == fs::weakly_canonical(fs::absolute(other), error);
}

void check_writable(const std::vector<fs::path>& paths)
{
    staged_files staged;
    for (const fs::path& path : paths)
        if (is_staged(path))
            staged.add({path, ""});
        else if (access(path.c_str(), W_OK) != 0)
            fail(path, "cannot be written: " + last_reason());
}

void write_files(const std::vector<output_file>& files)
{
    staged_files staged;
    for (const output_file& file : files)
        if (is_staged(file.path))
            staged.add(file);
        else
            write_content(file.path, file.content, file.path);
    staged.move_all();
}

fs::path own_executable()
{
    return fs::read_symlink("/proc/self/exe");
}

}  // namespace samples
