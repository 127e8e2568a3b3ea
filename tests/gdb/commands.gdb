# SPDX-License-Identifier: MIT
# gdb -batch -nx -x tools/keel_gdb.py -x tests/gdb/commands.gdb PROGRAM: the same must come out as in
# expected.txt, addresses apart.
set width 0
set confirm off
set disable-randomization off
set debuginfod enabled off
set breakpoint pending off
break game.c:look
run

echo == an entity that is alive\n
up
print stone
print world
print *world
keel components world

echo == one that is dead\n
continue
print e
keel entity world e

echo == one with components of each storage\n
continue
up
print ship
keel entity world ship
keel entity world 0
keel entity world 77

echo == a disabled component\n
continue
keel entity world e

echo == a system runs\n
continue
print *world
print e

echo == chunks\n
continue
print *chunk
continue
print *chunk
continue
print *chunk

echo == an error\n
continue
print *world
print *error

echo == a name\n
print e
keel entity world e

echo == commands that make no sense\n
python
for command in "keel entity world", "keel entity chunk 0", "keel components chunk", "keel entity 0 0":
    try:
        gdb.execute(command)
    except gdb.error as error:
        print(error)
end

echo == the program ends as it does without gdb\n
continue
