// SPDX-License-Identifier: MIT
#include "page.h"
const unsigned char keeli_inspect_page[] = { 0 };
const size_t keeli_inspect_page_size = 0;
const char keeli_inspect_page_policy[] = "default-src 'none'";
