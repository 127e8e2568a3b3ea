// SPDX-License-Identifier: MIT
// The rules of safety: which requests are answered at all. Everything here is a function of its
// arguments. The order of the rules is the order of the answers: a request that breaks several of
// them gets the first.
#include "rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static keeli_verdict rules_refuse(unsigned status, const char *code, const char *message) {
    return (keeli_verdict){ .status = status, .code = code, .message = message };
}

static bool rules_is_get(const keeli_head *head) { return !strcmp(head->method, "GET"); }
static bool rules_is_post(const keeli_head *head) { return !strcmp(head->method, "POST"); }

bool keeli_rules_is_page(const keeli_head *head) {
    return rules_is_get(head) && head->url &&
           (!strcmp(head->url, "/") || !strncmp(head->url, "/?", 2));
}

bool keeli_rules_same_token(const char *expected, const char *given) {
    const size_t expected_length = strlen(expected), length = strlen(given);
    unsigned different = expected_length != length;
    for (size_t i = 0; i < length; ++i)
        different |=
            (unsigned)(unsigned char)given[i] ^ (unsigned char)expected[i % expected_length];
    return !different;
}

// True if `host` is an IPv4 address in figures, with the port. A page of another origin cannot
// have an address as its name in DNS.
static bool rules_is_address(const char *host, uint16_t port) {
    unsigned parts[4];
    char rest[2], wanted[32];
    if (sscanf(host, "%3u.%3u.%3u.%3u%1[:]", &parts[0], &parts[1], &parts[2], &parts[3], rest) != 5)
        return false;
    for (int i = 0; i < 4; ++i)
        if (parts[i] > 255) return false;
    snprintf(wanted, sizeof wanted, "%u.%u.%u.%u:%u", parts[0], parts[1], parts[2], parts[3], port);
    return !strcmp(host, wanted);
}

static bool rules_host_is_right(const keeli_rules *rules, const char *host) {
    char local[32];
    snprintf(local, sizeof local, "localhost:%u", rules->port);
    if (!strcmp(host, rules->host) || !strcasecmp(host, local)) return true;
    return rules->any_address && rules_is_address(host, rules->port);
}

static bool rules_origin_is_right(const keeli_head *head) {
    static const char scheme[] = "http://";
    return !strncmp(head->origin, scheme, sizeof scheme - 1) &&
           !strcmp(head->origin + sizeof scheme - 1, head->host);
}

// Judges what makes a request one of our own page: where it was sent to, and who sent it.
static keeli_verdict rules_judge_sender(const keeli_rules *rules, const keeli_head *head) {
    if (head->host_count != 1 || !head->host || !rules_host_is_right(rules, head->host))
        return rules_refuse(421, "host", "the Host header is not the address of this inspector");
    if (head->origin_count > 1 || (head->origin && !rules_origin_is_right(head)))
        return rules_refuse(403, "origin", "a page of another origin asked");
    if (head->fetch_site_count > 1 ||
        (head->fetch_site && strcmp(head->fetch_site, "same-origin") &&
         strcmp(head->fetch_site, "none")))
        return rules_refuse(403, "origin", "a page of another site asked");
    return (keeli_verdict){ 0 };
}

static keeli_verdict rules_judge_size(const keeli_head *head) {
    if (head->bytes > KEELI_MAX_HEAD)
        return rules_refuse(431, "size", "the head of the request is longer than 32 KiB");
    const size_t length = strlen(head->url);
    if (length > KEELI_MAX_URL) return rules_refuse(414, "size", "the URL is longer than 4 KiB");
    if (strstr(head->url, "%00")) return rules_refuse(400, "argument", "the URL has a zero byte");
    return (keeli_verdict){ 0 };
}

// True for "application/json", and for this with a parameter.
static bool rules_is_json(const char *type) {
    static const char json[] = "application/json";
    if (!type || strncasecmp(type, json, sizeof json - 1)) return false;
    const char *rest = type + sizeof json - 1;
    rest += strspn(rest, " \t");
    return !*rest || *rest == ';';
}

static keeli_verdict rules_judge_post(const keeli_rules *rules, const keeli_head *head) {
    if (!rules->allow_edits)
        return rules_refuse(
            403, "read_only",
            "the program did not allow edits: set .allow_edits in keel_inspect_desc");
    if (!rules_is_json(head->content_type))
        return rules_refuse(415, "type", "the body must be application/json");
    if (head->transfer_encoding || !head->content_length)
        return rules_refuse(411, "length", "the request must say the length of its body");
    if (head->content_length_count != 1)
        return rules_refuse(400, "body", "the request says the length of its body twice");
    if (strspn(head->content_length, "0123456789") != strlen(head->content_length) ||
        !*head->content_length)
        return rules_refuse(400, "body", "the length of the body is no number");
    if (strlen(head->content_length) > 9 ||
        strtoul(head->content_length, NULL, 10) > KEELI_MAX_BODY)
        return rules_refuse(413, "size", "the body is longer than 1 MiB");
    return (keeli_verdict){ 0 };
}

static keeli_verdict rules_judge_token(const keeli_rules *rules, const keeli_head *head) {
    if (head->token_count == 1 && head->token && keeli_rules_same_token(rules->token, head->token))
        return (keeli_verdict){ 0 };
    keeli_verdict refused = rules_refuse(
        401, "token", "the token is missing or wrong: open the address that the program printed");
    refused.wrong_token = head->token_count > 0;
    return refused;
}

keeli_verdict keeli_rules_judge(const keeli_rules *rules, const keeli_head *head) {
    if (!head->method || !head->url)
        return rules_refuse(400, "argument", "the request has no method or no URL");
    keeli_verdict verdict = rules_judge_size(head);
    if (!verdict.status) verdict = rules_judge_sender(rules, head);
    if (verdict.status) return verdict;

    if (!rules_is_get(head) && !rules_is_post(head))
        return rules_refuse(405, "method", "only GET and POST are answered");
    if (keeli_rules_is_page(head)) return verdict;
    verdict = rules_judge_token(rules, head);
    if (!verdict.status && rules_is_post(head)) verdict = rules_judge_post(rules, head);
    return verdict;
}
