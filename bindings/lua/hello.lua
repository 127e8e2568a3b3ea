-- SPDX-License-Identifier: MIT
-- The first program of the README, in Lua.
local keel = require("keel")

-- a component is data that an entity can have
local Position = keel.component("Position", { { "x", "f32" }, { "y", "f32" } })
local Velocity = keel.component("Velocity", { { "x", "f32" }, { "y", "f32" } })

-- a system runs once for each entity that has all of these
local move = keel.system("move", { keel.write(Position), keel.read(Velocity) }, function(p, v)
    p.x = p.x + v.x
    p.y = p.y + v.y
end)

local world = keel.world()
local ship = world:add_entity(Position(1, 2), Velocity { x = 3 })
local rock = world:add_entity(Position(5, 5)) -- no velocity

world:run(move)

local p = world:get(ship, Position) -- nil if the ship had none
if p then print(("ship is at %g, %g"):format(p.x, p.y)) end
print("rock moves: " .. (world:has(rock, Velocity) and "yes" or "no"))
world:close()
