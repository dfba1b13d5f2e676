#!/usr/bin/env python3
"""The `yosys` command line over pyosys, the yosys library for Python, which brings none of its own.

The whole command line becomes one yosys script that yosys itself reads, so quoting, `;`, comments and
nested scripts behave as they do in yosys. In order: files are read, -r sets the top, -s scripts run,
-p commands run, -o files are written. The exit code is 1 when yosys reports an error, 2 for a wrong call.
"""

import argparse
import os
import resource
import sys
import tempfile
import time

READERS = {
    ".v": "read_verilog",
    ".vh": "read_verilog",
    ".sv": "read_verilog -sv",
    ".svh": "read_verilog -sv",
    ".il": "read_rtlil",
    ".json": "read_json",
    ".blif": "read_blif",
    ".eblif": "read_blif",
    ".aig": "read_aiger",
    ".aag": "read_aiger",
    ".lib": "read_liberty",
    ".ys": "script",
    ".tcl": "tcl",
}
WRITERS = {
    ".v": "write_verilog",
    ".sv": "write_verilog -sv",
    ".il": "write_rtlil",
    ".json": "write_json",
    ".blif": "write_blif",
    ".edif": "write_edif",
    ".aig": "write_aiger",
    ".btor": "write_btor",
    ".smt2": "write_smt2",
    ".cc": "write_cxxrtl",
}


def arguments():
    parser = argparse.ArgumentParser(prog="yosys", description="Runs yosys commands through pyosys.")
    add = parser.add_argument
    add("files", nargs="*", metavar="FILE", help="design files and .ys scripts, read first, in this order")
    add("-p", dest="commands", action="append", default=[], metavar="COMMANDS", help="commands, `;` between them")
    add("-s", dest="scripts", action="append", default=[], metavar="SCRIPT", help="a script, run before -p")
    add("-l", "-L", dest="log", metavar="FILE", help="write the log also to FILE")
    add("-q", dest="quiet", action="count", default=0, help="print warnings and errors only, both on stderr; -qq: errors only")
    add("-r", dest="top", metavar="MODULE", help="elaborate with this top module")
    add("-D", dest="defines", action="append", default=[], metavar="NAME[=VALUE]", help="define a Verilog macro")
    add("-f", dest="frontend", metavar="NAME", help="read the files with read_NAME")
    add("-o", dest="outputs", action="append", default=[], metavar="FILE", help="write the design at the end")
    add("-b", dest="backend", metavar="NAME", help="write the -o files with write_NAME")
    add("-e", dest="errors", action="append", default=[], metavar="REGEX", help="treat these warnings as errors")
    add("-w", dest="ignored", action="append", default=[], metavar="REGEX", help="do not print these warnings")
    add("-Q", action="store_true", help="accepted; there is no banner")
    add("-T", dest="no_footer", action="store_true", help="print no footer")
    add("-V", "--version", dest="version", action="store_true", help="print the version")
    return parser, parser.parse_args()


def quoted(text):
    """A file name or pattern as one word of a yosys script."""
    if '"' in text or "\n" in text:
        sys.exit(f"ERROR: `{text}' cannot be passed to yosys: it holds a quotation mark or a line break.")
    return f'"{text}"' if any(c in text for c in " \t;#*?[") else text


def script_path(name):
    """A script's name for yosys' `script` command, which takes no quotes: an odd name goes by descriptor."""
    if quoted(name) == name:
        return name
    try:
        return descriptor_path(os.open(name, os.O_RDONLY))
    except OSError as error:
        sys.exit(f"ERROR: cannot open the script `{name}': {error.strerror}")


def descriptor_path(number):
    return f"/proc/self/fd/{number}"


def by_extension(table, name, what):
    extension = os.path.splitext(name)[1]
    if extension not in table:
        sys.stderr.write(f"ERROR: no {what} known for `{name}'; known endings: {' '.join(table)}\n")
        sys.exit(2)
    return table[extension]


def script_of(args):
    """The yosys script that the command line stands for."""
    lines = [f"logger -werror {quoted(p)}" for p in args.errors]
    lines += [f"logger -nowarn {quoted(p)}" for p in args.ignored]
    lines += [f"verilog_defines -D{define}" for define in args.defines]
    for name in args.files:
        reader = f"read_{args.frontend}" if args.frontend else by_extension(READERS, name, "reader")
        path = script_path(name) if reader in ("script", "tcl") else quoted(name)
        lines.append(f"{reader} {path}")
    if args.top:
        lines.append(f"hierarchy -top {args.top}")
    lines += [f"script {script_path(name)}" for name in args.scripts]
    lines += args.commands
    for name in args.outputs:
        writer = f"write_{args.backend}" if args.backend else by_extension(WRITERS, name, "writer")
        lines.append(f"{writer} {quoted(name)}")
    return "\n".join(lines) + "\n"


def open_log(name):
    if name is None:
        return tempfile.TemporaryFile("w+")
    try:
        return open(name, "w+")
    except OSError as error:
        sys.exit(f"ERROR: cannot write the log file `{name}': {error.strerror}")


def is_warning(line):
    return (line.startswith("Warning: ") or ": Warning: " in line) and not line.startswith("Suppressed ")


def version():
    from importlib.metadata import version as installed

    return installed("pyosys")


def main():
    parser, args = arguments()
    if args.version:
        print(f"Yosys {version()} (pyosys)")
        return
    script = script_of(args)
    if not script.strip():
        parser.error("nothing to do: give files, -p or -s")

    from pyosys import libyosys

    # What is printed goes through this file too: for -l, and for the warnings that -q leaves.
    log = open_log(args.log) if args.log or args.quiet else None
    if args.quiet:
        # yosys' own `tee -q` would swallow errors as well; these come on stderr.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)

    started = time.monotonic()
    # yosys leaves the process at once on an error, so the file goes through a descriptor that needs no clean-up.
    with tempfile.TemporaryFile("w+") as file:
        file.write(script)
        file.flush()
        command = f"script {descriptor_path(file.fileno())}"
        if log:
            command = f"tee -a {descriptor_path(log.fileno())} {command}"
        libyosys.run_pass(command, libyosys.yosys_get_design())
    libyosys.log_flush()
    if args.quiet == 1:
        log.seek(0)
        sys.stderr.writelines(filter(is_warning, log))
        sys.stderr.flush()
    elif not args.quiet and not args.no_footer:
        usage = resource.getrusage(resource.RUSAGE_SELF)
        seconds = time.monotonic() - started
        print(f"\nEnd of script. Yosys {version()}, {seconds:.2f} s, {usage.ru_maxrss // 1024} MB peak")
    sys.stdout.flush()
    # Leaves without taking libyosys down: that faults in 0.70, and takes seconds with a large design.
    os._exit(0)


if __name__ == "__main__":
    main()
