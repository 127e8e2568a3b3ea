// SPDX-License-Identifier: MIT
// A client of HTTP over plain sockets, for the tests of keel::inspect: it can send what no browser
// would. Each answer that it reads is checked for what all answers must have, and must not have.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// An answer. `head` and `body` are texts with a zero at their end.
typedef struct answer {
    int status; // 0: the connection was closed, or silent, before the head of an answer was there
    char *head, *body;
    size_t length; // bytes of the body
    bool is_closed;
} answer;
void answer_free(answer *a);

// A request. NULL: the usual. Lines end with "\r\n".
typedef struct ask {
    const char *method;  // GET, or POST if there is a body
    const char *path;    // behind "/api/v1/", or from a '/' on as it is
    const char *host;    // all Host lines
    const char *token;   // all X-Keel-Token lines
    const char *headers; // further lines
    const char *body;    // with its Content-Length and Content-Type
    const char *type;    // the Content-Type line of a body
    const char *length;  // the Content-Length line of a body
} ask;

int client_connect(uint16_t port);
void client_close(int fd);
// Sends bytes; false: the connection is closed.
bool client_send(int fd, const void *bytes, size_t size);
bool client_send_text(int fd, const char *text);
// Reads an answer, at most so many seconds. False: there is none.
bool client_read(int fd, answer *a, double seconds);
// Reads until a text is there, in a stream. False: it is not, or the stream has ended.
bool client_read_until(int fd, const char *text, double seconds);
// True when the other side closes the connection within some seconds.
bool client_is_closed(int fd, double seconds);

// Sends a request on an open connection.
bool client_ask_on(int fd, uint16_t port, ask what);
// Asks on a connection of its own and reads the answer, at most 20 seconds.
void client_ask(uint16_t port, ask what, answer *a);
// The same, and returns the status only.
int client_status(uint16_t port, ask what);
// The same, and checks that the status and a part of the body are these.
void client_expect(uint16_t port, ask what, int status, const char *part);

double client_now(void);
