#include "equalize/plot.hpp"

#include "support/byte_panel.hpp"
#include "support/text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

std::string plot_as_svg(const std::string& title, const equalization& result)
{
    using samples::byte_panel_left;
    samples::svg picture(samples::byte_picture_width, 856, samples::byte_panel_styles);
    picture.add(R"(<text class="title" x="{}" y="30">{}</text>)", byte_panel_left, samples::escaped(title));
    samples::draw_histogram(picture, 74, "before", "pixels", result.before);
    samples::draw_histogram(picture, 330, "after", "pixels", result.after);
    std::array<std::uint8_t, 256> table;
    std::ranges::copy(result.table.levels, table.begin());
    samples::draw_table(picture, 586, "what each luminance becomes", table);
    picture.add(R"(<text class="middle" x="{}" y="822">luminance (0 black, 255 white); dashed: all luminances equally )"
                R"(frequent, or as they were</text>)",
                byte_panel_left + samples::byte_panel_width / 2);
    return picture.take();
}
