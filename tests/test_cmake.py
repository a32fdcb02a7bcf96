"""CMake files: before and after, what must stay as it is, and what is said."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from porting import check_edits, check_settled, mutants

from sigtrans.passes import BuildContext, cmake
from sigtrans.source import Findings, Severity, SourceFile, apply

RENAMED = {
    "a.cu": "a.mu",
    "src/k.cu": "src/k.mu",
    "src/k.cuh": "src/k.muh",
    "src/deep/x.cu": "src/deep/x.mu",
}
NEW = BuildContext(("mp_31",), "5.2", RENAMED)
OLD = BuildContext(("mp_22",), "4.3", RENAMED)
TWO = BuildContext(("mp_22", "mp_31"), "5.2", RENAMED)
PATH = 'list(APPEND CMAKE_MODULE_PATH "$ENV{MUSA_HOME}/cmake" /usr/local/musa/cmake)\n'
LANGUAGE = PATH + "include(EnableMUSALanguage)\nenable_language(MUSA)\n"
RUNTIME = "find_package(MUSAToolkit REQUIRED)\nlink_libraries(MUSA::musart)\n"
ARCH = "add_compile_options($<$<COMPILE_LANGUAGE:MUSA>:--offload-arch=mp_31>)\n"
FOR_MUSA = "$<$<COMPILE_LANGUAGE:MUSA>:"


def port(
    text: str, context: BuildContext = NEW, path: str = "CMakeLists.txt"
) -> tuple[str, Findings]:
    file = SourceFile(path, text.encode())
    findings = cmake.find(file, context)
    applied = apply(file.data, findings.edits)
    assert not applied.refused
    return applied.data.decode(), findings


def codes(findings: Findings) -> list[str]:
    return [diagnostic.code for diagnostic in findings.diagnostics]


AFTER = {
    "project": (
        "project(x LANGUAGES C CXX CUDA)\n",
        "project(x LANGUAGES C CXX)\n" + LANGUAGE + RUNTIME + ARCH,
    ),
    "project, CUDA alone": (
        "project(x LANGUAGES CUDA)\n",
        "project(x LANGUAGES CXX)\n" + LANGUAGE + RUNTIME + ARCH,
    ),
    "project, short form": (
        "project(x CUDA CXX)\n",
        "project(x CXX)\n" + LANGUAGE + RUNTIME + ARCH,
    ),
    "project over lines, with a comment": (
        "project(x\n  VERSION 1.0\n  LANGUAGES CXX CUDA # both\n) # end\nset(A 1)\n",
        "project(x\n  VERSION 1.0\n  LANGUAGES CXX # both\n) # end\n"
        + LANGUAGE
        + RUNTIME
        + ARCH
        + "set(A 1)\n",
    ),
    "project and toolkit": (
        "project(x CXX CUDA)\nfind_package(CUDAToolkit REQUIRED)\n",
        "project(x CXX)\n"
        + LANGUAGE
        + "link_libraries(MUSA::musart)\n"
        + ARCH
        + "find_package(MUSAToolkit REQUIRED)\n",
    ),
    "enable_language": (
        "if(USE_CUDA)\n  enable_language(CUDA)\nendif()\n",
        "if(USE_CUDA)\n"
        + "".join(f"  {line}\n" for line in (LANGUAGE + RUNTIME + ARCH).splitlines())
        + "endif()\n",
    ),
    "check_language": (
        "include(CheckLanguage)\ncheck_language(CUDA)\nif(CMAKE_CUDA_COMPILER)\nendif()\n",
        "include(CheckLanguage)\n"
        'find_program(CMAKE_MUSA_COMPILER mcc HINTS "$ENV{MUSA_HOME}/bin" /usr/local/musa/bin)\n'
        "if(CMAKE_MUSA_COMPILER)\nendif()\n",
    ),
    "architectures": ("set(CMAKE_CUDA_ARCHITECTURES 70 80)\n", ARCH),
    "architectures in the cache": (
        'set(CMAKE_CUDA_ARCHITECTURES "70;80" CACHE STRING "archs")\n',
        ARCH,
    ),
    "architectures when not given": (
        "if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)\n  set(CMAKE_CUDA_ARCHITECTURES 80)\nendif()\n",
        f"if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)\n  {ARCH}endif()\n",
    ),
    "patterns below the top folder": (
        "file(GLOB A ${CMAKE_SOURCE_DIR}/src/*.cu)\nfile(GLOB B ${PROJECT_SOURCE_DIR}/src/*/?.cu)\n"
        "file(GLOB C ${ANY}/src/*.cu)\nfile(GLOB D ${ANY}/none/*.cu)\n",
        "file(GLOB A ${CMAKE_SOURCE_DIR}/src/*.mu)\nfile(GLOB B ${PROJECT_SOURCE_DIR}/src/*/?.mu)\n"
        "file(GLOB C ${ANY}/src/*.mu)\nfile(GLOB D ${ANY}/none/*.cu)\n",
    ),
    "neighbours that go": (
        'set(CMAKE_CUDA_FLAGS "--expt-relaxed-constexpr --expt-extended-lambda -O3")\n',
        'set(CMAKE_MUSA_FLAGS "-O3")\n',
    ),
    "neighbours that go, in a generator expression": (
        "target_compile_options(t PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr;"
        "--expt-extended-lambda;-O3>)\n",
        f"target_compile_options(t PRIVATE {FOR_MUSA}-O3>)\n",
    ),
    "include folder of the toolkit": (
        "include_directories(/usr/local/cuda/targets/x86_64-linux/include "
        "$ENV{CUDA_HOME}/targets/x86_64-linux/include)\n",
        "include_directories(/usr/local/musa/include $ENV{MUSA_HOME}/include)\n",
    ),
    "flags for clang in a variable with any name": (
        'set(X "--cuda-gpu-arch=sm_70 -O2")\n',
        'set(X "--offload-arch=mp_31 -O2")\n',
    ),
    "architectures of one target of two": (
        "project(x CXX CUDA)\nset_property(TARGET t PROPERTY CUDA_ARCHITECTURES OFF)\n",
        "project(x CXX)\n" + LANGUAGE + RUNTIME + ARCH + "\n",
    ),
    "architectures of a target": (
        "set_target_properties(t PROPERTIES CUDA_ARCHITECTURES 80)\n",
        f"target_compile_options(t PRIVATE {FOR_MUSA}--offload-arch=mp_31>)\n",
    ),
    "architectures among other properties": (
        'set_target_properties(t u PROPERTIES\n  CXX_STANDARD 17\n  CUDA_ARCHITECTURES "70;80"\n'
        "  FOLDER x)\n",
        "set_target_properties(t u PROPERTIES\n  CXX_STANDARD 17\n  FOLDER x)\n"
        f"target_compile_options(t PRIVATE {FOR_MUSA}--offload-arch=mp_31>)\n"
        f"target_compile_options(u PRIVATE {FOR_MUSA}--offload-arch=mp_31>)\n",
    ),
    "architectures by set_property": (
        "set_property(TARGET t PROPERTY CUDA_ARCHITECTURES 70 80)\n",
        f"target_compile_options(t PRIVATE {FOR_MUSA}--offload-arch=mp_31>)\n",
    ),
    "standard": (
        "set(CMAKE_CUDA_STANDARD 17)\n",
        f"add_compile_options({FOR_MUSA}-std=c++17>)\n",
    ),
    "standard of a target": (
        "set_target_properties(t PROPERTIES CUDA_STANDARD 14)\n",
        f"target_compile_options(t PRIVATE {FOR_MUSA}-std=c++14>)\n",
    ),
    "standard as a feature": (
        "target_compile_features(t PUBLIC cxx_std_17 cuda_std_17)\n",
        "target_compile_features(t PUBLIC cxx_std_17)\n"
        f"target_compile_options(t PUBLIC {FOR_MUSA}-std=c++17>)\n",
    ),
    "standard as the only feature": (
        "target_compile_features(t PUBLIC cuda_std_14)\n",
        f"target_compile_options(t PUBLIC {FOR_MUSA}-std=c++14>)\n",
    ),
    "libraries added to a list": (
        "list(APPEND LIBS curand pthread)\n",
        "list(APPEND LIBS murand pthread)\n",
    ),
    "libraries in a set": ("set(GPU_LIBS cudart cublas)\n", "set(GPU_LIBS musart mublas)\n"),
    "library in a generator expression": (
        "target_link_libraries(app PRIVATE $<$<CONFIG:Release>:cublas>)\n",
        "target_link_libraries(app PRIVATE $<$<CONFIG:Release>:mublas>)\n",
    ),
    "library as a linker flag": (
        'set(CMAKE_EXE_LINKER_FLAGS "-O1 -lcudart")\n',
        'set(CMAKE_EXE_LINKER_FLAGS "-O1 -lmusart")\n',
    ),
    "a property keeps a value": (
        "# nvcc\nset_source_files_properties(k.c PROPERTIES COMPILE_FLAGS --extended-lambda)\n",
        '# nvcc\nset_source_files_properties(k.c PROPERTIES COMPILE_FLAGS "")\n',
    ),
    "flags": (
        'set(CMAKE_CUDA_FLAGS "${CMAKE_CUDA_FLAGS} -O3 -lineinfo -Xcompiler -fPIC")\n',
        'set(CMAKE_MUSA_FLAGS "${CMAKE_MUSA_FLAGS} -O3 -gline-tables-only -fPIC")\n',
    ),
    "flags of one configuration": (
        'string(APPEND CMAKE_CUDA_FLAGS_DEBUG " -G")\n',
        'string(APPEND CMAKE_MUSA_FLAGS_DEBUG " -g")\n',
    ),
    "flags that leave nothing": (
        'set(A 1)\nset(CMAKE_CUDA_FLAGS "${CMAKE_CUDA_FLAGS} --extended-lambda")\nset(B 2)\n',
        "set(A 1)\nset(B 2)\n",
    ),
    "flags that leave a comment": (
        'set(CMAKE_CUDA_FLAGS "${CMAKE_CUDA_FLAGS} --extended-lambda") # why\n',
        "# why\n",
    ),
    "flags with escaped quotes": (
        'set(CMAKE_CUDA_FLAGS "${CMAKE_CUDA_FLAGS} -Xcompiler \\"-fPIC -Wall\\"")\n',
        'set(CMAKE_MUSA_FLAGS "${CMAKE_MUSA_FLAGS} -fPIC -Wall")\n',
    ),
    "options for CUDA": (
        "target_compile_options(t PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda -O3>)\n",
        f"target_compile_options(t PRIVATE {FOR_MUSA}-O3>)\n",
    ),
    "options for CUDA, listed": (
        'target_compile_options(t PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:'
        '-Xcompiler=-Wall,-Wextra;--expt-relaxed-constexpr>")\n',
        f'target_compile_options(t PRIVATE "{FOR_MUSA}-Wall;-Wextra>")\n',
    ),
    "options for CUDA only": (
        "target_compile_options(t PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-G>"
        " $<$<COMPILE_LANGUAGE:CUDA>:-G>)\n",
        f"target_compile_options(t PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-G> {FOR_MUSA}-g>)\n",
    ),
    "options for one compiler": (
        "add_compile_options($<$<COMPILE_LANG_AND_ID:CUDA,NVIDIA>:-lineinfo>)\n",
        f"add_compile_options({FOR_MUSA}-gline-tables-only>)\n",
    ),
    "options under two conditions": (
        "target_compile_options(t PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<CONFIG:Debug>>:-G>)\n",
        "target_compile_options(t PRIVATE $<$<AND:$<COMPILE_LANGUAGE:MUSA>,$<CONFIG:Debug>>:-g>)\n",
    ),
    "options as a shell text": (
        'target_compile_options(t PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:'
        'SHELL:-Xcompiler -fPIC -O3>")\n',
        f'target_compile_options(t PRIVATE "{FOR_MUSA}SHELL:-fPIC -O3>")\n',
    ),
    "options over lines": (
        "target_compile_options(t PRIVATE\n  $<$<COMPILE_LANGUAGE:CUDA>:\n    --extended-lambda\n"
        '    -O3\n    "SHELL:-Xcudafe --diag_suppress=1"\n  >)\n',
        "target_compile_options(t PRIVATE\n  $<$<COMPILE_LANGUAGE:MUSA>:\n    -O3\n  >)\n",
    ),
    "options that leave nothing": (
        "add_library(t a.cc)\n\n"
        "target_compile_options(t PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda>)\n\n"
        "install(TARGETS t)\n",
        "add_library(t a.cc)\n\ninstall(TARGETS t)\n",
    ),
    "gencode into a variable of the project": (
        'list(APPEND MY_FLAGS -gencode arch=compute_80,code=sm_80 "-Wall")\n',
        'list(APPEND MY_FLAGS --offload-arch=mp_31 "-Wall")\n',
    ),
    "definitions beside the languages": (
        'if("CUDA" IN_LIST languages)\nendif()\n',
        'if("MUSA" IN_LIST languages)\nendif()\n',
    ),
    "toolkit package": (
        "find_package(CUDAToolkit REQUIRED)\n",
        PATH + "find_package(MUSAToolkit REQUIRED)\n",
    ),
    "toolkit variables": (
        "target_include_directories(t PRIVATE ${CUDAToolkit_INCLUDE_DIRS})\n",
        "target_include_directories(t PRIVATE ${MUSAToolkit_INCLUDE_DIRS})\n",
    ),
    "imported targets": (
        "target_link_libraries(t CUDA::cudart CUDA::cublas CUDA::cufft CUDA::cuda_driver)\n",
        "target_link_libraries(t MUSA::musart MUSA::mublas MUSA::mufft MUSA::musa_driver)\n",
    ),
    "imported target in a condition": (
        "if(TARGET CUDA::cublas_static)\nendif()\n",
        "if(TARGET MUSA::mublas)\nendif()\n",
    ),
    "library without a place": (
        "target_link_libraries(t\n  CUDA::cudart\n  CUDA::cudadevrt\n  m)\n",
        "target_link_libraries(t\n  MUSA::musart\n  m)\n",
    ),
    "plain library names": (
        "target_link_libraries(t cudart cublas mylib)\n",
        "target_link_libraries(t musart mublas mylib)\n",
    ),
    "library files": (
        "target_link_libraries(t /usr/local/cuda/lib64/libcudart.so)\n",
        "target_link_libraries(t /usr/local/musa/lib/libmusart.so)\n",
    ),
    "find_library": (
        "find_library(CUBLAS_LIB NAMES cublas PATHS /usr/local/cuda-12.1/lib64)\n",
        "find_library(CUBLAS_LIB NAMES mublas PATHS /usr/local/musa/lib)\n",
    ),
    "find_path": (
        'find_path(INC cuda_runtime.h HINTS "$ENV{CUDA_HOME}/include")\n',
        'find_path(INC musa_runtime.h HINTS "$ENV{MUSA_HOME}/include")\n',
    ),
    "find_program": ("find_program(NVCC nvcc)\n", "find_program(NVCC mcc)\n"),
    "FindCUDA": (
        "find_package(CUDA 9.0 QUIET)\n"
        "if(CUDA_FOUND)\n"
        "  cuda_include_directories(${CUDA_INCLUDE_DIRS})\n"
        "  list(APPEND CUDA_NVCC_FLAGS -O3 -arch=sm_70)\n"
        "  cuda_add_executable(t a.cu)\n"
        "  target_link_libraries(t ${CUDA_LIBRARIES})\n"
        "endif()\n",
        PATH + "find_package(MUSA QUIET)\n"
        "if(MUSA_FOUND)\n"
        "  musa_include_directories(${MUSA_INCLUDE_DIRS})\n"
        "  list(APPEND MUSA_MCC_FLAGS -O3 --offload-arch=mp_31)\n"
        "  musa_add_executable(t a.mu)\n"
        "  target_link_libraries(t ${MUSA_LIBRARIES})\n"
        "endif()\n",
    ),
    "FindCUDA in capitals": (
        "CUDA_ADD_LIBRARY(t a.cu OPTIONS -Xcompiler -fPIC)\n",
        "MUSA_ADD_LIBRARY(t a.mu OPTIONS -fPIC)\n",
    ),
    "FindCUDA's architecture helper": (
        "cuda_select_nvcc_arch_flags(FLAGS Auto)\n",
        "set(FLAGS --offload-arch=mp_31)\n",
    ),
    "FindCUDA's cuBLAS helper": (
        "cuda_add_cublas_to_target(t)\n",
        "target_link_libraries(t mublas)\n",
    ),
    "FindCUDA's list with semicolons": (
        "set(CUDA_NVCC_FLAGS ${CUDA_NVCC_FLAGS};-O3;-gencode;arch=compute_70,code=sm_70)\n",
        "set(MUSA_MCC_FLAGS ${MUSA_MCC_FLAGS};-O3;--offload-arch=mp_31)\n",
    ),
    "files": (
        'add_executable(t a.cu src/k.cu "src/k.cuh" main.cpp)\n',
        'add_executable(t a.mu src/k.mu "src/k.muh" main.cpp)\n',
    ),
    "files by folder": (
        "add_library(t ${CMAKE_CURRENT_SOURCE_DIR}/src/k.cu ${PROJECT_SOURCE_DIR}/a.cu)\n",
        "add_library(t ${CMAKE_CURRENT_SOURCE_DIR}/src/k.mu ${PROJECT_SOURCE_DIR}/a.mu)\n",
    ),
    "files by a variable": (
        "set(S ${SRC_DIR}/k.cu ${NAME}.cu)\n",
        "set(S ${SRC_DIR}/k.mu ${NAME}.mu)\n",
    ),
    "files by a pattern": (
        'file(GLOB_RECURSE S CONFIGURE_DEPENDS "src/*.cu" "*.cuh")\n',
        'file(GLOB_RECURSE S CONFIGURE_DEPENDS "src/*.mu" "*.muh")\n',
    ),
    "files by a regular expression": (
        'list(FILTER S EXCLUDE REGEX ".*_test\\\\.cu$")\n',
        'list(FILTER S EXCLUDE REGEX ".*_test\\\\.mu$")\n',
    ),
    "an extension": ('if(ext STREQUAL ".cu")\nendif()\n', 'if(ext STREQUAL ".mu")\nendif()\n'),
    "language of a file": (
        "set_source_files_properties(b.cpp PROPERTIES LANGUAGE CUDA)\n",
        "set_source_files_properties(b.cpp PROPERTIES LANGUAGE MUSA)\n",
    ),
    "linker language": (
        "set_target_properties(t PROPERTIES LINKER_LANGUAGE CUDA)\n",
        "set_target_properties(t PROPERTIES LINKER_LANGUAGE MUSA)\n",
    ),
    "own command": (
        "add_custom_command(OUTPUT k.o COMMAND ${CMAKE_CUDA_COMPILER} -Xcompiler -fPIC -c a.cu)\n",
        "add_custom_command(OUTPUT k.o COMMAND ${CMAKE_MUSA_COMPILER} -fPIC -c a.mu)\n",
    ),
    "a reference in a message": (
        'message(STATUS "CUDA compiler: ${CMAKE_CUDA_COMPILER}")\n',
        'message(STATUS "CUDA compiler: ${CMAKE_MUSA_COMPILER}")\n',
    ),
    "folder of the toolkit": (
        "link_directories(${CUDA_TOOLKIT_ROOT_DIR}/lib64 /usr/local/cuda-11.4/lib64/stubs)\n",
        "link_directories(${MUSA_TOOLKIT_ROOT_DIR}/lib /usr/local/musa/lib)\n",
    ),
}

SAME = {
    "nothing of CUDA's": "project(x CXX)\nadd_executable(a main.cpp)\n",
    "comments": "# project(x CUDA) CUDA::cudart nvcc a.cu\n#[[ set(CMAKE_CUDA_FLAGS -G) ]]\n",
    "messages": 'message(STATUS "uses CUDA::cudart, nvcc and CMAKE_CUDA_FLAGS on a.cu")\n',
    "bracket arguments": "set(TEXT [[CUDA::cudart ${CMAKE_CUDA_FLAGS} a.cu]])\n",
    "options of the project": 'option(USE_CUDA "Build with CUDA" ON)\nif(USE_CUDA)\nendif()\n',
    "more options": "if(WITH_CUDA AND ENABLE_CUDA)\n  add_definitions(-DUSE_CUDA)\nendif()\n",
    "variables of the project": "set(CUDA_SOURCES main.cpp)\nset(MY_CUDA_FLAG ${CUDA_KERNELS})\n",
    "targets of the project": "add_library(cuda_k x.cc)\ntarget_link_libraries(t cuda_k)\n",
    "functions of the project": "cuda_add_test(t x.cc)\n",
    "a namespace of the project": "target_link_libraries(t PRIVATE My::CUDA MyCUDA::cudart)\n",
    "another kind of .cu": "configure_file(gen.cu.in gen.h)\nset(X a.custom b.cubin_list)\n",
    "the project's name": "project(CUDA VERSION 1.0 LANGUAGES CXX)\n",
    "a description": 'project(x DESCRIPTION "a CUDA thing" LANGUAGES CXX)\n',
    "a comment of a command": 'add_custom_target(t COMMENT "run nvcc on a.txt for CUDA")\n',
    "an option that only looks like one": "target_compile_options(t PRIVATE -G -time) # cuda\n",
    "no file": "",
}

SAID = {
    "version test": ("if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER 11)\nendif()\n", "SIG701"),
    "version of FindCUDA": ("if(CUDA_VERSION VERSION_LESS 9.0)\nendif()\n", "SIG701"),
    "version by reference": ('if("${CUDAToolkit_VERSION}" VERSION_LESS 12)\nendif()\n', "SIG701"),
    "architectures read": ("foreach(a ${CMAKE_CUDA_ARCHITECTURES})\nendforeach()\n", "SIG702"),
    "architectures added to": ("list(APPEND CMAKE_CUDA_ARCHITECTURES 90)\n", "SIG702"),
    "architectures taken from the list": (
        "list(GET CMAKE_CUDA_ARCHITECTURES 0 first)\n",
        "SIG712",
    ),
    "compiler id": ('if(CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA")\nendif()\n', "SIG710"),
    "components": ("find_package(CUDAToolkit REQUIRED COMPONENTS cublas)\n", "SIG712"),
    "no effect": ("set(CMAKE_CUDA_STANDARD_REQUIRED ON)\n", "SIG703"),
    "host compiler": ("set(CMAKE_CUDA_HOST_COMPILER g++)\n", "SIG703"),
    "separable": ("set_target_properties(t PROPERTIES CUDA_SEPARABLE_COMPILATION ON)\n", "SIG704"),
    "separable everywhere": ("set(CMAKE_CUDA_SEPARABLE_COMPILATION ON)\n", "SIG704"),
    "PTX property": ("set_property(TARGET t PROPERTY CUDA_PTX_COMPILATION ON)\n", "SIG700"),
    "PTX command": ("cuda_compile_ptx(P a.cc)\n", "SIG700"),
    "cuDNN": ("find_package(CUDNN REQUIRED)\n", "SIG700"),
    "FindCUDA's module": ("include(FindCUDA/select_compute_arch)\n", "SIG700"),
    "NPP": ("target_link_libraries(t CUDA::nppc CUDA::nppif)\n", "SIG708"),
    "plain NVML": ("target_link_libraries(t nvidia-ml)\n", "SIG708"),
    "compiler by name": ("add_compile_options($<$<CUDA_COMPILER_ID:NVIDIA>:-O3>)\n", "SIG710"),
    "clang for CUDA": ("add_compile_options($<$<COMPILE_LANG_AND_ID:CUDA,Clang>:-O3>)\n", "SIG710"),
    "handed on": ("list(APPEND ARGS -DCMAKE_CUDA_STANDARD=17)\n", "SIG711"),
    "open bracket": ("project(x CXX CUDA\nset(A 1)\n", "SIG712"),
    "header macro": ("target_compile_definitions(t PRIVATE __CUDA_NO_HALF2__)\n", "SIG720"),
    "unknown variable": ("set(CMAKE_CUDA_RDC_THING 1)\n", "SIG712"),
    "unknown file": ("add_executable(t gen.cu)\n", "SIG706"),
    "folder of the toolkit": ("include_directories(/opt/cuda/extras/CUPTI/include)\n", "SIG712"),
}


@pytest.mark.parametrize(("before", "after"), AFTER.values(), ids=AFTER)
def test_after(before: str, after: str) -> None:
    assert port(before)[0] == after


@pytest.mark.parametrize("text", SAME.values(), ids=SAME)
def test_same(text: str) -> None:
    after, findings = port(text)
    assert after == text
    assert findings.diagnostics == ()


@pytest.mark.parametrize(("text", "code"), SAID.values(), ids=SAID)
def test_said_once(text: str, code: str) -> None:
    findings = port(text)[1]
    assert codes(findings) == [code]
    assert findings.diagnostics[0].help


def test_several_targets() -> None:
    assert port("set(CMAKE_CUDA_ARCHITECTURES 80)\n", TWO)[0] == (
        'add_compile_options("$<$<COMPILE_LANGUAGE:MUSA>:--offload-arch=mp_22;--offload-arch=mp_31>")\n'
    )


def test_language_needs_ninja_and_says_so() -> None:
    findings = port("project(x CXX CUDA)\n")[1]
    assert codes(findings) == ["SIG707"]


def test_before_sdk_5_1_there_is_no_language() -> None:
    before = (
        "project(x CXX CUDA)\n"
        "set(CMAKE_CUDA_ARCHITECTURES 80)\n"
        'set(CMAKE_CUDA_FLAGS "${CMAKE_CUDA_FLAGS} -O3 --extended-lambda")\n'
        "add_executable(t a.cu)\n"
        "add_library(u src/k.cu)\n"
        "add_library(v b.cpp)\n"
        "target_link_libraries(t PRIVATE CUDA::cudart)\n"
    )
    after = (
        "project(x CXX)\n" + PATH + "find_package(MUSA REQUIRED)\n"
        "set(MUSA_LINK_LIBRARIES_KEYWORD PRIVATE)\n"
        "list(APPEND MUSA_MCC_FLAGS --offload-arch=mp_22)\n"
        "set(MUSA_MCC_FLAGS ${MUSA_MCC_FLAGS} -O3)\n"
        "musa_add_executable(t a.mu)\n"
        "musa_add_library(u src/k.mu)\n"
        "add_library(v b.cpp)\n"
        "target_link_libraries(t PRIVATE MUSA::musart)\n"
    )
    assert port(before, OLD)[0] == after


def test_before_sdk_5_1_a_language_test_is_an_error() -> None:
    text = "target_compile_options(t PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-O3>)\n"
    after, findings = port(text, OLD)
    assert after == text
    assert codes(findings) == ["SIG713"]
    assert findings.diagnostics[0].severity is Severity.ERROR


def test_a_dropped_version_is_said() -> None:
    after, findings = port("find_package(CUDAToolkit 11.4 EXACT REQUIRED)\n")
    assert after == PATH + "find_package(MUSAToolkit REQUIRED)\n"
    assert codes(findings) == ["SIG709"]


def test_a_target_nobody_has_seen_is_said() -> None:
    after, findings = port("target_link_libraries(t CUDA::cusparse)\n")
    assert after == "target_link_libraries(t MUSA::musparse)\n"
    assert codes(findings) == ["SIG705"]


def test_a_file_for_musa_is_left_alone() -> None:
    text = "find_package(MUSA REQUIRED)\nmusa_add_executable(t a.mu)\nset(CMAKE_CUDA_FLAGS -G)\n"
    after, findings = port(text)
    assert after == text
    assert codes(findings) == ["SIG714"]


def test_names_are_relative_to_the_file_s_own_folder() -> None:
    text = "add_library(t k.cu deep/x.cu ../a.cu)\n"
    assert port(text, path="src/CMakeLists.txt")[0] == "add_library(t k.mu deep/x.mu ../a.mu)\n"


def test_nothing_is_renamed_when_files_keep_their_names() -> None:
    text = 'file(GLOB S "*.cu")\nif(e STREQUAL ".cu")\nendif()\n'
    assert port(text, BuildContext(("mp_31",), "5.2"))[0] == text


def test_one_diagnostic_for_a_command() -> None:
    text = "target_link_libraries(t CUDA::nppc CUDA::nppig CUDA::nppif)\n"
    (diagnostic,) = port(text)[1].diagnostics
    assert "nppc" in diagnostic.message and "nppif" in diagnostic.message


@pytest.mark.parametrize(
    "text",
    [
        "target_link_libraries(t PRIVATE cudnn)\n",
        "target_link_libraries(t PRIVATE $<$<BOOL:ON>:cudnn>)\n",
        'set(CMAKE_EXE_LINKER_FLAGS "-lcudnn")\n',
    ],
)
def test_a_library_without_a_counterpart_is_said_once_with_what_to_do(text: str) -> None:
    (said,) = port(text)[1].diagnostics
    assert said.code in ("SIG708", "SIG719")
    assert "muDNN" in said.help


def test_crlf_stays() -> None:
    before = "project(x CXX CUDA)\r\nset(CMAKE_CUDA_STANDARD 17)\r\n"
    after = port(before)[0]
    assert "\r\nenable_language(MUSA)\r\n" in after
    assert after.count("\n") == after.count("\r\n")


def test_bytes_that_are_no_text_stay() -> None:
    data = b'# \xb0\xa1\xff\nset(X "\xff\xfe")\nset(CMAKE_CUDA_FLAGS "\xe9 -G")\n'
    file = SourceFile("CMakeLists.txt", data)
    after = apply(data, cmake.find(file, NEW).edits).data
    assert after == data.replace(b"CMAKE_CUDA_FLAGS", b"CMAKE_MUSA_FLAGS").replace(b"-G", b"-g")


# --- laws ------------------------------------------------------------------------------------

PIECES = st.sampled_from(
    [
        "CUDA",
        "${",
        "}",
        '"',
        "(",
        ")",
        "\n",
        ";",
        "#",
        "[[",
        "]]",
        "\\",
        "$<",
        ">",
        ":",
        "\0",
        ".cu",
        " -gencode ",
        "CUDA::cudart",
        "\xff",
        "\r\n",
        "project(",
        "set(CMAKE_CUDA_FLAGS ",
    ]
)


SAMPLES = [*(before for before, _ in AFTER.values()), *(text for text, _ in SAID.values())]


@settings(max_examples=300, deadline=None)
@given(mutants(SAMPLES, PIECES))
def test_whatever_the_input_edits_fit_and_twice_is_once(data: bytes) -> None:
    cmake.find(SourceFile("CMakeLists.txt", data), NEW)
    check_edits(data, raw)


def raw(data: bytes) -> Findings:
    """What the pass says without the look whether the file is one for MUSA, or for CUDA at all."""
    return cmake.port_commands(cmake.make_job(SourceFile("CMakeLists.txt", data), NEW))


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ('string(APPEND CMAKE_CUDA_FLAGS" -gencode ${ -G")\n', ""),
        (
            "target_link_libraries(app P -gencode $<$<CONFIG:Release>:cublas>)\n",
            "target_link_libraries(app P -gencode $<$<CONFIG:Release>:mublas>)\n",
        ),
    ],
)
def test_an_option_torn_by_a_quote_or_an_expression_is_left_and_reported(
    text: str, after: str
) -> None:
    findings = raw(text.encode())
    assert apply(text.encode(), findings.edits).data.decode() == (after or text)
    assert any("-gencode" in d.message for d in findings.diagnostics)


@pytest.mark.parametrize("before", [b for b, _ in AFTER.values()], ids=list(AFTER))
def test_twice_is_once(before: str) -> None:
    after, findings = port(before)
    check_settled(after.encode(), findings, raw)


@pytest.mark.skipif(shutil.which("cmake") is None, reason="needs cmake")
def test_cmake_reads_what_was_written(tmp_path: Path) -> None:
    """Every result, as the body of a function that is never called."""
    body = "".join(
        f"function(f{n})\n{port(b)[0]}\nendfunction()\n"
        for n, b in enumerate(before for before, _ in AFTER.values())
    )
    script = tmp_path / "all.cmake"
    script.write_text(body)
    done = subprocess.run(["cmake", "-P", str(script)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
