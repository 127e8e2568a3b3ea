// SPDX-License-Identifier: MIT
// Macros of other headers, defined before Keel is included or after it, change nothing.
// flags: -Wpedantic
#define READ 0
#define WRITE 1
#define DATA "data"
#define ENTITY 3
#define CONTEXT 4
#define WORLD 5
#define SYSTEM 6
#define TASK 7
#define EACH(x) x
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#include <keel/keel.h>
#define ONE 1
#define MORE 2
#define MANY 3
#define NONE 0
#define END }
#define BAD -1
#define FIRST 1
#define SECOND 2
#define VALUE(x) #x
#define COUNT 9
#define CLASS class
#define TERM ;
#define BODY {
#define LIST (
#define SPAN )
#define MASK ~
#define CAT(a, b) a b
#define MAP(x) x
#define CHECK if
#define PASS break
#define SELF this
#define LOCAL static
#define SIDE ,
#define AT @
#define WHOLE 100
#define ABOUT 101
#define OPTION 102
#define FIELD 103
#define OUT
#define IN
#define near
#define far
#define interface struct
#define small char
#include "everything.h"

keel_result use(keel_world *world, keel_entity e) {
    KEEL_TRY(run_all(world));
    KEEL_TRY(edit_all(world, keel_world_commands(world)));
    KEEL_TRY(views_and_uniques(world, e));
    return read_all(world, world, e) > min(0, max(READ, WRITE)) ? KEEL_OK : KEEL_ABSENT;
}
