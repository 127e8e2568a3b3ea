// SPDX-License-Identifier: MIT
// The rules of safety of keel::inspect, as a pure function of the head of a request. The server
// calls it for each request before anything else; tests/fuzz_inspect calls it with random heads.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The settings that the server was started with.
typedef struct keeli_rules {
    const char *host;  // "127.0.0.1:27750", as it was bound
    uint16_t port;     // for "localhost:27750", and for addresses if all interfaces are bound
    bool any_address;  // 0.0.0.0 was bound: Host may be any IPv4 address, but no name
    const char *token; // at least 32 characters
    bool allow_edits;
} keeli_rules;

// The head of a request. Texts are NULL if the header is missing.
typedef struct keeli_head {
    const char *method;
    const char *url;     // as it was sent, with the query
    size_t bytes;        // bytes of the whole head
    const char *host;    // the first one
    unsigned host_count; // number of Host headers
    const char *origin;
    unsigned origin_count;
    const char *fetch_site; // Sec-Fetch-Site
    unsigned fetch_site_count;
    const char *token; // X-Keel-Token
    unsigned token_count;
    const char *content_type;
    const char *content_length; // the first one
    unsigned content_length_count;
    const char *transfer_encoding;
} keeli_head;

// The answer of the rules: 0 if the request is allowed, or an HTTP status with a code for programs
// and a sentence for people.
typedef struct keeli_verdict {
    unsigned status;
    const char *code;
    const char *message;
    bool wrong_token; // the request showed a token, and a wrong one
} keeli_verdict;

enum {
    KEELI_MAX_HEAD = 32 << 10,  // bytes of a head
    KEELI_MAX_URL = 4 << 10,    // bytes of a URL
    KEELI_MAX_BODY = 1 << 20,   // bytes of a body
    KEELI_MAX_ANSWER = 4 << 20, // bytes of an answer
    KEELI_MIN_TOKEN = 32,       // characters
    KEELI_MAX_TOKEN = 128
};

keeli_verdict keeli_rules_judge(const keeli_rules *rules, const keeli_head *head);
// True if the request asks for the page itself, which needs no token.
bool keeli_rules_is_page(const keeli_head *head);
// Compares two texts in a time that depends on the length of `given` only.
bool keeli_rules_same_token(const char *expected, const char *given);
