// SPDX-License-Identifier: MIT
// The body of stb_image_write, which writes the PNG files of view.c.
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>
