#include "support/png.hpp"

#include "support/files.hpp"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace samples {

namespace {

/// libpng's state of one picture; freed on every way out.
struct png_state : png_image {
    png_state() : png_image{} { version = PNG_IMAGE_VERSION; }
    png_state(const png_state&) = delete;
    png_state& operator=(const png_state&) = delete;
    ~png_state() { png_image_free(this); }
};

constexpr png_uint_32 most_side = 1'000'000;  // of libpng

}  // namespace

image read_png(const std::filesystem::path& path)
{
    const auto fail = [&path](const std::string& reason) {
        throw std::runtime_error(fmt::format("{}: {}", path.string(), reason));
    };
    const auto file = read_file(path);
    if (file.empty())
        fail("is empty");
    if (file.size() < 8 || png_sig_cmp(file.data(), 0, 8) != 0)
        fail("is no PNG file");

    // libpng takes a larger picture for a damaged one.
    if (file.size() >= 24 && std::memcmp(&file[12], "IHDR", 4) == 0) {
        const auto width = png_get_uint_32(&file[16]), height = png_get_uint_32(&file[20]);
        if (std::max(width, height) > most_side)
            fail(fmt::format("has {} x {} pixels; at most {} a side are read", width, height, most_side));
    }

    png_state png;
    if (png_image_begin_read_from_memory(&png, file.data(), file.size()) == 0)
        fail(fmt::format("is a damaged PNG file ({})", png.message));
    if ((png.format & PNG_FORMAT_FLAG_LINEAR) != 0)
        fail("has 16 bits a channel; 8 are supported");
    png.format &= PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA;

    image picture{png.width, png.height, PNG_IMAGE_SAMPLE_CHANNELS(png.format), {}};
    const std::size_t row = picture.width * picture.channels;
    static_assert(most_input_bytes <= std::numeric_limits<png_int_32>::max());  // so a row's size is one of libpng's
    if (picture.height > most_input_bytes / row)
        fail(fmt::format("has {} bytes ({} x {} x {}); at most {} GiB are read", row * picture.height, picture.width,
                         picture.height, picture.channels, most_input_gib));
    picture.values.resize(row * picture.height);
    if (png_image_finish_read(&png, nullptr, picture.values.data(), static_cast<png_int_32>(row), nullptr) == 0)
        fail(fmt::format("is a damaged PNG file ({})", png.message));
    return picture;
}

std::string encode_png(const image& picture)
{
    static constexpr png_uint_32 formats[] = {PNG_FORMAT_GRAY, PNG_FORMAT_GA, PNG_FORMAT_RGB, PNG_FORMAT_RGBA};
    png_state png;
    png.width = static_cast<png_uint_32>(picture.width);
    png.height = static_cast<png_uint_32>(picture.height);
    png.format = formats[picture.channels - 1];
    const auto row = static_cast<png_int_32>(picture.width * picture.channels);

    // Large enough at once: to ask libpng for the size first would compress the picture twice.
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(png);
    std::string content(size, '\0');
    if (png_image_write_to_memory(&png, content.data(), &size, 0, picture.values.data(), row, nullptr) == 0)
        throw std::runtime_error(fmt::format("the picture cannot be compressed ({})", png.message));
    content.resize(size);
    return content;
}

}  // namespace samples
