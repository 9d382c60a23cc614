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

void write_content(open_file file, const std::string& content, const fs::path& name_in_errors)
{
    if (!file)
        fail(name_in_errors, "cannot be written: " + last_reason());
    const bool written = std::fwrite(content.data(), 1, content.size(), file.get()) == content.size();
    // What the buffer still holds can be what does not fit on the disk.
    if (!written || std::fflush(file.get()) != 0)
        fail(name_in_errors, "cannot be written: " + last_reason());
}

/// Whether a file is beside its place first; a device or a pipe is written through. Fails where a file is there that may not be
/// written, which to move another one to its place would not notice.
bool is_staged(const fs::path& path)
{
    std::error_code error;
    if (fs::is_directory(path, error))
        fail(path, "cannot be written: it is a folder");
    if (!fs::exists(path, error))
        return true;
    if (access(path.c_str(), W_OK) != 0)
        fail(path, "cannot be written: " + last_reason());
    return fs::is_regular_file(path, error);
}

void check_size(const fs::path& path, std::uintmax_t size, std::uintmax_t most)
{
    if (size > most)
        fail(path, fmt::format("has more than {} GiB, the most that is read", most >> 30));
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
        std::error_code error;
        const fs::path place = fs::weakly_canonical(fs::absolute(file.path), error);
        if (error)
            fail(file.path, "cannot be written: " + error.message());
        // A name that no file has; short, so that it fits where the file's own does.
        for (int number = 0;; ++number) {
            const fs::path temporary = place.parent_path() / fmt::format("parprims-{}-{}.part", getpid(), number);
            open_file part(std::fopen(temporary.c_str(), "wbx"));
            if (!part && errno == EEXIST)
                continue;
            if (part)
                moves_.emplace_back(temporary, place);
            write_content(std::move(part), file.content, file.path);
            return;
        }
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

    try {
        std::vector<std::uint8_t> bytes;
        // The size is a hint: there are files that grow, and others, as in /proc, that do not tell.
        const auto told = fs::file_size(path, error);
        check_size(path, error ? 0 : told, most_input_bytes);
        bytes.resize(std::max(error ? 0 : static_cast<std::size_t>(told) + 1, std::size_t{1} << 16));
        for (std::size_t size = 0;; bytes.resize(std::min(2 * size, most_input_bytes + 1))) {
            size += std::fread(bytes.data() + size, 1, bytes.size() - size, file.get());
            check_size(path, size, most_input_bytes);
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

void check_readable(const fs::path& path, std::uintmax_t most)
{
    std::error_code error;
    if (fs::is_directory(path, error))
        fail(path, "is a folder");
    if (access(path.c_str(), R_OK) != 0)
        fail(path, "cannot be read: " + last_reason());
    const auto size = fs::file_size(path, error);
    check_size(path, error ? 0 : size, most);
}

bool is_same_file(const fs::path& one, const fs::path& other)
{
    std::error_code error;
    if (fs::exists(one, error) && !fs::is_regular_file(one, error))
        return false;
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
}

void write_files(const std::vector<output_file>& files)
{
    staged_files staged;
    for (const output_file& file : files)
        if (is_staged(file.path))
            staged.add(file);
        else
            write_content(open_file(std::fopen(file.path.c_str(), "wb")), file.content, file.path);
    staged.move_all();
}

fs::path own_executable()
{
    return fs::read_symlink("/proc/self/exe");
}

}  // namespace samples
