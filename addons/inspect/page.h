// SPDX-License-Identifier: MIT
// The page of the inspector as bytes. tools/build_inspector_page writes page.c; the server sends
// them for `GET /`.
#pragma once
#include <stddef.h>

/// The page as gzip: it is sent with `Content-Encoding: gzip` and `Content-Type: text/html;
/// charset=utf-8`. Every browser takes that.
extern const unsigned char keeli_inspect_page[];
/// Bytes of keeli_inspect_page.
extern const size_t keeli_inspect_page_size;
/// Bytes of the page when it is unpacked.
extern const size_t keeli_inspect_page_plain_size;
/// The value of `Content-Security-Policy`, with the hashes of the page's script and style.
extern const char keeli_inspect_page_policy[];
