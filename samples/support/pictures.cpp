#include "support/pictures.hpp"

namespace samples {

namespace fs = std::filesystem;

int run_picture_sample(CLI::App& app, const picture_out& out, int argc, char** argv,
                       const std::function<int(const picture_files&, const place&)>& run)
{
    picture_files names;
    backend wish = backend::automatic;
    add_file_option(app, "IN.png", names.in, "a picture of 8 bits a channel (default: a photograph)")->type_name("");
    add_file_option(app, "OUT.png", names.out, fmt::format("{} (default: output/IN-{}.png)", out.help, out.suffix))
        ->type_name("");
    add_backend_option(app, wish);
    add_report_option(app, names.json);
    return run_program(app, argc, argv, [&] {
        if (names.in.empty())
            names.in = own_executable().parent_path() / "grace_hopper.png";
        if (names.out.empty()) {
            names.folder = "output";
            names.out = names.folder / (fs::path(names.in).stem().string() + "-" + out.suffix + ".png");
        }
        const place where = choose_place(wish);
        check_files({names.in}, {{.option = "OUT.png",
                                  .path = names.out,
                                  .may_replace_input = out.may_replace_input,
                                  .makes_folder = !names.folder.empty()},
                                 {"--json", names.json}});
        return run(names, where);
    });
}

int finish(const std::string& sample, const place& where, const picture_files& names, const std::vector<claim>& claims,
           const image& result, const nlohmann::ordered_json& more)
{
    if (!all_hold(sample, claims))
        return 1;
    if (!names.folder.empty())
        fs::create_directories(names.folder);
    std::vector<output_file> outputs{{names.out, encode_png(result)}};
    if (!names.json.empty()) {
        nlohmann::ordered_json json{{"sample", sample}, {"machine", where.name}, {"file", names.in}};
        json.update(more);
        for (const claim& each : claims)
            json["checks"].push_back({{"claim", each.what}, {"holds", each.holds}});
        outputs.push_back({names.json, json_text(json)});
    }
    write_and_say(outputs);
    return 0;
}

std::vector<std::uint8_t> first_channel(const image& picture)
{
    std::vector<std::uint8_t> values(picture.pixels());
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = picture.values[i * picture.channels];
    return values;
}

}  // namespace samples
