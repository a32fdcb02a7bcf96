// SIMD in a word: the video instructions come with the headers that need them.
#pragma once
