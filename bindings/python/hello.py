# SPDX-License-Identifier: MIT
# The first program of the README, in Python.
import keel

# a component is data that an entity can have
Position = keel.Component("Position", x="f32", y="f32")
Velocity = keel.Component("Velocity", x="f32", y="f32")


# a system runs once for each entity that has all of these
@keel.system(keel.write(Position), keel.read(Velocity))
def move(p, v):
    p.x += v.x
    p.y += v.y


with keel.World() as world:
    ship = world.add_entity(Position(1, 2), Velocity(x=3))
    rock = world.add_entity(Position(5, 5))  # no velocity

    world.run(move)

    p = world.get(ship, Position)  # None if the ship had none
    if p:
        print(f"ship is at {p.x:g}, {p.y:g}")
    print("rock moves:", "yes" if world.has(rock, Velocity) else "no")
