// SPDX-License-Identifier: MIT
// The page, compressed by gzip. tools/build_inspector_page writes page.c from page/.
#pragma once
#include <stddef.h>

extern const unsigned char keeli_inspect_page[];
extern const size_t keeli_inspect_page_size;
// The value of Content-Security-Policy: it allows the script and the style of this page.
extern const char keeli_inspect_page_policy[];
