// What is done with a design alone: rtl wrap.
#include "cli/base/command.hpp"
#include "cli/base/interrupt.hpp"
#include "cli/files/files.hpp"
#include "cli/options/design_options.hpp"
#include "cli/options/options.hpp"
#include "cli/options/read_design.hpp"
#include "design_model.hpp"

#include "designs/target.hpp"
#include "designs/wrapper.hpp"
#include "models/error.hpp"
#include "models/unit/sentence.hpp"

#include <algorithm>
#include <limits>

namespace discern::cli {

namespace {

struct RtlWanted {
    std::string action, word, name = "discern_wrapper", out;
    DataOptions data;
    DesignOptions design;
    double timeout = std::numeric_limits<double>::infinity();
};

int run_rtl(const Command& self, Arguments arguments, const Streams& io) {
    RtlWanted wanted;
    CommandLine line(self);
    line.add_option("ACTION", wanted.action, "wrap: a module around a design, with the ports of a unit").required();
    line.offer("ACTION", {"wrap"});
    line.add_option("DESIGN", wanted.word, "rtl:FILE.sv").required();
    line.add_option("--name", wanted.name, "of the module that is written").type_name("MODULE");
    line.add_shared("--formats", wanted.data.formats, "of the design");
    line.add_shared("--K", wanted.data.K, "of the design");
    line.add_shared("--scale", wanted.data.scale, "of the design");
    line.add_shared("--timeout", wanted.timeout);
    line.add_shared("-o", wanted.out);
    add_design_options(line, wanted.design, DesignUse::simulated);
    if (const auto ended = line.read(arguments, io)) return *ended;

    if (wanted.action != "wrap") throw Error("rtl: " + excerpt(wanted.action) + " is no action; 'wrap' is one");
    if (!is_design(wanted.word))
        throw Error(sentence("rtl wrap: ", excerpt(wanted.word, 80), " is no design, rtl:FILE.sv"));
    const Shape shape = design_shape(wanted.word, "", wanted.data, io);
    Interrupt interrupt(io, wanted.timeout);
    const ReadDesign read = read_design(rtl::any_unit_of(shape), wanted.word, wanted.design,
                                        std::min(wanted.timeout, longest_reading), interrupt.token());
    const std::string text = rtl::wrapper(read.question, read.sources, wanted.name, quoted_command("rtl", arguments));
    interrupt.work_is_done();
    write_file(wanted.out, io, [&](std::ostream& out) { out << text; });
    return status::done;
}

} // namespace

extern constinit const Command rtl_command{
    .name = "rtl",
    .usage = "wrap DESIGN",
    .summary = "a module around a design, with the ports of a unit",
    .example = "  discern rtl wrap rtl:dot.sv --top dot --map a=x0+x1,b=y0+y1,c=acc,d=out --formats bf16,bf16,f32,f32 "
               "--K 2 \\\n"
               "          --clock clock --cycles 2 -o wrapper.sv\n"
               "  discern prove UNIT rtl:wrapper.sv,dot.sv --top discern_wrapper --clock clk --cycles 2\n"
               "      the wrapper has the ports of a unit, a, b, c and d",
    .run = of_a_machine<run_rtl>,
    .docs = {.group = "Questions", .page = "rtl"}};

} // namespace discern::cli
