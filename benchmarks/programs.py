"""How many programs of public repositories build and run right on the CPU backend.

    python benchmarks/programs.py samples CUDA_SAMPLES [FOLDER...] [--port] [--seconds N]
    python benchmarks/programs.py rodinia GPU_RODINIA [PROGRAM...] [--port]

A program is right if it builds, ends within its time with exit code 0 and says nothing of failure.
With --port, the port of each program is built and run as well, against MUSA's headers. Sizes are
those of the programs: what a card does in a second may take an hour here, so a program that runs out
of time is counted apart.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path

SAMPLES: tuple[str, ...] = (
    "0_Introduction", "2_Concepts_and_Techniques", "3_CUDA_Features", "4_CUDA_Libraries",
    "6_Performance",
)  # fmt: skip
# Needs a window, a second card, or another operating system's interface.
OUT_OF_SCOPE = re.compile(
    r"GL|Vulkan|EGL|D3D|simpleMPI|simpleP2P|simpleMultiGPU|MultiDevice|simpleIPC|NvSci|Nvmedia|"
    r"nvJPEG|memMapIPC|streamOrderedAllocationIPC|streamOrderedAllocationP2P|_nvrtc$|UnifiedMemoryPerf"
)
BAD = re.compile(
    r"\bFAIL(?:ED|URE)?\b(?! as expected)|\bmismatch|Test failed|CUDA error|^\s*Error:",
    re.IGNORECASE | re.MULTILINE,
)
GOOD_DESPITE = re.compile(
    r"Assertion .* failed|as expected|0 failed|no error|errors?: ?0\b|Failed: 0", re.IGNORECASE
)
ERROR = re.compile(r"(?:error|undefined reference)[: ].*", re.IGNORECASE)


@dataclass(frozen=True)
class Job:
    name: str
    sources: tuple[Path, ...]
    options: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    folder: Path = Path()
    data: dict[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class Result:
    job: Job
    state: str  # right, wrong, time, build
    why: str = ""


def find_samples(tree: Path, wanted: list[str]) -> list[Job]:
    jobs = []
    for chapter in SAMPLES:
        for folder in sorted((tree / "Samples" / chapter).iterdir()):
            if not folder.is_dir() or OUT_OF_SCOPE.search(folder.name):
                continue
            if wanted and folder.name not in wanted:
                continue
            sources = tuple(
                p for p in sorted(folder.rglob("*")) if p.suffix in (".cu", ".cpp", ".c", ".cc")
                and "NvSci" not in p.name
            )  # fmt: skip
            if any(p.suffix == ".cu" for p in sources) or chapter == "4_CUDA_Libraries":
                options: tuple[str, ...] = (
                    f"-I{tree / 'Common'}",
                    f"-I{folder}",
                    f"-I{folder / 'inc'}",
                )
                cmake = folder / "CMakeLists.txt"
                if cmake.exists() and "SEPARABLE_COMPILATION ON" in cmake.read_text():
                    options += ("-rdc=true",)
                if cmake.exists() and "OpenMP" in cmake.read_text():
                    options += ("-Xcompiler", "-fopenmp")
                jobs.append(Job(folder.name, sources, options, (), folder))
    return jobs


def _graph(nodes: int, degree: int) -> bytes:
    rng = random.Random(1)
    edges = [[rng.randrange(nodes) for _ in range(rng.randint(1, degree))] for _ in range(nodes)]
    lines, at = [str(nodes)], 0
    for list_ in edges:
        lines.append(f"{at} {len(list_)}")
        at += len(list_)
    lines += ["", "0", "", str(at)]
    lines += [f"{e} {rng.randint(1, 9)}" for list_ in edges for e in list_]
    return "\n".join(lines).encode()


def _numbers(count: int, low: float, high: float) -> bytes:
    rng = random.Random(2)
    return "".join(f"{rng.uniform(low, high):.6f}\n" for _ in range(count)).encode()


def _features(rows: int, columns: int) -> bytes:
    rng = random.Random(3)
    lines = (
        f"{i} " + " ".join(str(rng.randrange(256)) for _ in range(columns)) for i in range(rows)
    )
    return ("\n".join(lines) + "\n").encode()


def _hurricanes(count: int) -> bytes:
    rng = random.Random(4)
    return "".join(
        f"{rng.randint(1950, 2004)} {rng.randint(1, 12):2d} {rng.randint(1, 28):2d} {6 * rng.randint(0, 3):2d} "
        f"{rng.randint(1, 20):2d} {'NAME':<9} {rng.uniform(7, 70):5.1f} {rng.uniform(10, 358):5.1f} "
        f"{rng.randint(10, 160):4d} {rng.randint(0, 500):4d}\n"
        for _ in range(count)
    ).encode()


def rodinia_jobs(tree: Path, wanted: list[str]) -> list[Job]:
    cuda = tree / "cuda"

    def job(
        name: str, folder: str, arguments: str, sources: str = "", options: str = "", **data: bytes
    ) -> Job:
        where = cuda / folder
        files = tuple(where / s for s in sources.split()) if sources else (where,)
        named = {
            key.replace("_dot_", ".").replace("_up_", "../../data/dwt2d/"): value
            for key, value in data.items()
        }
        return Job(
            name,
            files,
            tuple(f"-I{where / o}" if not o.startswith("-") else o for o in options.split()),
            tuple(arguments.split()),
            where,
            named,
        )

    temperatures, power = _numbers(64 * 64, 320, 340), _numbers(64 * 64, 0, 0.01)
    deep, deep_power = _numbers(64 * 64 * 8, 320, 340), _numbers(64 * 64 * 8, 0, 0.01)
    jobs = [
        job("b+tree", "b+tree", "file mil.txt command command.txt",
            "main.c kernel/kernel_gpu_cuda_wrapper.cu kernel/kernel_gpu_cuda_wrapper_2.cu util/timer/timer.c "
            "util/num/num.c util/cuda/cuda.cu", ". -xc++",
            mil_dot_txt=b"1000\n" + b"\n".join(b"%d" % i for i in range(1000)) + b"\n",
            command_dot_txt=b"k 100\nj 50 30\n"),
        job("backprop", "backprop", "1024"),
        job("bfs", "bfs", "graph.txt", graph_dot_txt=_graph(1024, 6)),
        job("gaussian", "gaussian", "-s 32 -q"),
        job("hotspot", "hotspot", "64 2 4 temp power out.txt", temp=temperatures, power=power),
        job("hotspot3D", "hotspot3D", "64 8 4 power temp out.txt", "3D.cu", temp=deep, power=deep_power),
        job("huffman", "huffman", "data.bin",
            "main_test_cu.cu stats_logger.cpp vlc_kernel_sm64huff.cu scan.cu pack_kernels.cu cpuencode.cpp", ".", data_dot_bin=bytes(random.Random(5).choices(range(64), k=1 << 19))),
        job("hybridsort", "hybridsort", "r 10000"),
        job("kmeans", "kmeans", "-i features -o", features=_features(512, 8)),
        job("lavaMD", "lavaMD", "-boxes1d 2",
            "main.c kernel/kernel_gpu_cuda_wrapper.cu util/num/num.c util/timer/timer.c util/device/device.cu", "."),
        job("lud", "lud", "-s 64 -v", "cuda/lud.cu cuda/lud_kernel.cu common/common.c", "common cuda -xc++"),
        job("myocyte", "myocyte", "10 1 0", "main.cu"),
        job("nn", "nn", "list.txt -r 5 -lat 30 -lng 90", "nn_cuda.cu", list_dot_txt=b"records.db\n", records_dot_db=_hurricanes(2000)),
        job("nw", "nw", "128 10", "needle.cu"),
        job("particlefilter_naive", "particlefilter", "-x 32 -y 32 -z 4 -np 500", "ex_particle_CUDA_naive_seq.cu"),
        job("particlefilter_float", "particlefilter", "-x 32 -y 32 -z 4 -np 500", "ex_particle_CUDA_float_seq.cu"),
        job("pathfinder", "pathfinder", "2000 20 5", "pathfinder.cu"),
        job("srad_v1", "srad/srad_v1", "2 0.5 502 458", "main.cu"),
        job("srad_v2", "srad/srad_v2", "64 64 0 31 0 31 0.5 2", "srad.cu"),
        job("streamcluster", "streamcluster", "3 6 16 512 512 100 none out.txt 1", "streamcluster_cuda.cu streamcluster_cuda_cpu.cpp"),
        job("cfd_euler3d", "cfd", "mesh", "euler3d.cu", "-Dblock_length=32", mesh=_mesh(256)),
        job("cfd_pre_euler3d", "cfd", "mesh", "pre_euler3d.cu", "-Dblock_length=32", mesh=_mesh(256)),
        job("cfd_euler3d_double", "cfd", "mesh", "euler3d_double.cu", "-Dblock_length=32", mesh=_mesh(256)),
        job("dwt2d", "dwt2d", "picture.bmp -d 192x192 -f -5 -l 3",
            "main.cu dwt_cuda/fdwt53.cu dwt_cuda/fdwt97.cu dwt_cuda/common.cu dwt_cuda/rdwt97.cu "
            "dwt_cuda/rdwt53.cu components.cu dwt.cu", ".", _up_picture_dot_bmp=_picture(192)),
        job("mummergpu", "mummergpu", "-h", "", "."),
        job("heartwall", "heartwall", "video.avi 1", "main.cu AVI/avilib.c AVI/avimod.c", "AVI"),
        job("leukocyte", "leukocyte", "video.avi 1", "CUDA/detect_main.c", "CUDA"),
    ]  # fmt: skip
    return [j for j in jobs if not wanted or j.name in wanted]


def _mesh(count: int) -> bytes:
    rng = random.Random(6)
    lines = [str(count)]
    for _ in range(count):
        parts = [f"{rng.uniform(0.5, 1.5):.5f}"]
        for _ in range(4):
            parts.append(str(rng.choice([-2, *range(1, count + 1)])))
            parts += [f"{rng.uniform(-0.1, 0.1):.5f}" for _ in range(3)]
        lines.append(" ".join(parts))
    return ("\n".join(lines) + "\n").encode()


def _picture(side: int) -> bytes:
    rng = random.Random(7)
    pixels = bytes(rng.randrange(256) for _ in range(side * side * 3))
    head = b"BM" + (54 + len(pixels)).to_bytes(4, "little") + bytes(4) + (54).to_bytes(4, "little")
    head += (40).to_bytes(4, "little") + side.to_bytes(4, "little") * 2 + b"\1\0\x18\0" + bytes(24)
    return head + pixels


def play(job: Job, seconds: float, musa: bool = False) -> Result:
    command = [sys.executable, "-m", "sigtrans", "run", "-q", "--build-only"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "cuda" / "program"  # some look for ../../data
        folder.mkdir(parents=True)
        exe = folder / "program"
        build = [
            *command,
            *(["--musa"] if musa else []),
            "-o",
            str(exe),
            *map(str, job.sources),
            *job.options,
        ]
        built = subprocess.run(build, capture_output=True, text=True, errors="replace")
        if not exe.exists():
            match = ERROR.search(built.stderr)
            return Result(job, "build", match.group() if match else built.stderr.strip()[-200:])
        for path in job.folder.iterdir():  # data beside the program
            if path.suffix not in (".cu", ".cpp") and not (folder / path.name).exists():
                (folder / path.name).symlink_to(path)
        for file, data in job.data.items():
            (folder / file).unlink(missing_ok=True)
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_bytes(data)
        try:
            ran = subprocess.run(
                [str(exe), *job.arguments], cwd=folder, capture_output=True, text=True, timeout=seconds,
                errors="replace", stdin=subprocess.DEVNULL,
                env={**os.environ, "SIMT_PATIENCE": "60"},
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return Result(job, "time", f"more than {seconds:.0f} s")
        said = ran.stdout + ran.stderr
        bad = next(
            (x for x in said.splitlines() if BAD.search(x) and not GOOD_DESPITE.search(x)), ""
        )
        if "waived" in said.lower():
            return Result(job, "waived", said.strip().splitlines()[-1])
        if ran.returncode != 0 or bad:
            why = bad or (said.strip().splitlines() or [""])[-1]
            return Result(job, "wrong", f"exit code {ran.returncode}: {why}")
        return Result(job, "right")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("suite", choices=("samples", "rodinia"))
    parser.add_argument("tree", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument(
        "--include", type=Path, help="a folder with helper_cuda.h, for rodinia's cfd"
    )
    parser.add_argument("--port", action="store_true")
    parser.add_argument("--seconds", type=float, default=30)
    options = parser.parse_args()
    tree = options.tree.resolve()
    find = find_samples if options.suite == "samples" else rodinia_jobs
    jobs = find(tree, options.names)
    if options.include:
        jobs = [replace(j, options=(*j.options, f"-I{options.include.resolve()}")) for j in jobs]
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda job: play(job, options.seconds), jobs))
    report(results)
    if options.port:
        with tempfile.TemporaryDirectory() as name:
            places = {tree: Path(name) / "port"}
            if options.include:
                places[options.include.resolve()] = Path(name) / "include"
            for source, port in places.items():
                command = [sys.executable, "-m", "sigtrans", "port", str(source), "-q"]
                subprocess.run([*command, "-o", str(port)], capture_output=True, check=False)
            ports = [_ported(job, places) for job in jobs]
            with ThreadPoolExecutor(2) as pool:
                results = list(pool.map(lambda job: play(job, options.seconds, True), ports))
        print("ports:")
        report(results)


def _ported(job: Job, places: dict[Path, Path]) -> Job:
    """The same program in the port; data stays where it is."""

    def place(path: Path) -> Path:
        for source, port in places.items():
            if path.is_relative_to(source):
                there = port / path.relative_to(source)
                return there.with_suffix(".mu") if path.suffix == ".cu" else there
        return path

    options = tuple(f"-I{place(Path(o[2:]))}" if o.startswith("-I") else o for o in job.options)
    return replace(job, sources=tuple(map(place, job.sources)), options=options)


def report(results: list[Result]) -> None:
    for it in results:
        if it.state != "right":
            print(f"{it.state:<6} {it.job.name}: {it.why[:220]}")
    count = {
        s: sum(r.state == s for r in results) for s in ("right", "wrong", "time", "build", "waived")
    }
    total = len(results)
    built = total - count["build"]
    print(
        f"{total} programs: {built} build, {count['right']} right, "
        + ", ".join(f"{count[s]} {s}" for s in ("wrong", "time", "build", "waived"))
    )


if __name__ == "__main__":
    main()
