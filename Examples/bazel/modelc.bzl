"""Compiles Core Data models, and generates their classes, with modelc."""

def _model_folder(files):
    """Returns the path of the .xcdatamodeld around some files, which must all be in it."""
    folders = {}
    for file in files:
        head, separator, _ = file.path.partition(".xcdatamodeld/")
        if not separator:
            fail("%s is not in an .xcdatamodeld" % file.path)
        folders[head + ".xcdatamodeld"] = True
    if len(folders) != 1:
        fail("the files belong to %d models; a target has one" % len(folders))
    return folders.keys()[0]

def _core_data_model_impl(ctx):
    folder = _model_folder(ctx.files.srcs)
    name = folder.split("/")[-1][:-len(".xcdatamodeld")]
    momd = ctx.actions.declare_directory(name + ".momd")
    sources = ctx.actions.declare_directory(ctx.label.name + "_classes")
    options = ["--module", ctx.attr.module_name] if ctx.attr.module_name else []
    settings = ctx.file.settings
    configuration = ["--config", settings.path] if settings else []
    for output, command in [(momd, ["compile"] + options), (sources, ["generate"] + configuration)]:
        arguments = ctx.actions.args()
        arguments.add_all(command + ["--quiet", folder])
        if output == momd:
            arguments.add(output.path)
        else:
            arguments.add_all(["--output", output.path])
        ctx.actions.run(
            executable = ctx.executable.modelc,
            arguments = [arguments],
            inputs = ctx.files.srcs + ([settings] if settings else []),
            outputs = [output],
            mnemonic = "Modelc" + command[0].capitalize(),
            progress_message = "%s %s" % (command[0].capitalize(), folder),
        )
    return [
        DefaultInfo(files = depset([momd]), runfiles = ctx.runfiles([momd])),
        # The classes of entities whose codegen is Class Definition or Category/Extension, for the srcs of a swift_library.
        OutputGroupInfo(classes = depset([sources])),
    ]

core_data_model = rule(
    implementation = _core_data_model_impl,
    doc = "Compiles an .xcdatamodeld to an .momd; the output group `classes` has the generated Swift files.",
    attrs = {
        "srcs": attr.label_list(allow_files = True, mandatory = True, doc = "All files in the .xcdatamodeld."),
        "module_name": attr.string(doc = "The module of classes that the model names with a leading dot."),
        "settings": attr.label(allow_single_file = True, doc = "The project's .modelc.yml, whose section generate adds code."),
        "modelc": attr.label(
            default = "//tools:modelc",
            executable = True,
            cfg = "exec",
            allow_single_file = True,
            doc = "The program modelc, for example from a release archive.",
        ),
    },
)
