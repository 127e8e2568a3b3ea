# SPDX-License-Identifier: MIT
"""The Python binding: values, scopes, systems, conditions, errors, and threads that run systems."""
import unittest

import keel

Position = keel.Component("Position", x="f32", y="f32")
Velocity = keel.Component("Velocity", storage=keel.lib.KEEL_ARCHETYPE, x="f32", y="f32")
Owner = keel.Component("Owner", who="entity", since="u16")
Frozen = keel.Component("Frozen")
Time = keel.Unique("Time", step="f64", frames="u32")


class Worlds(unittest.TestCase):
    def setUp(self):
        self.world = keel.World("test")
        self.addCleanup(self.world.close)

    def test_values_are_those_that_were_given(self):
        world = self.world
        a = world.add_entity(Position(1, 2), Frozen)
        b = world.add_entity(Owner(a, since=7), Velocity)
        self.assertEqual((world.get(a, Position).x, world.get(a, Position).y), (1, 2))
        self.assertEqual(keel.Entity(world.get(b, Owner).who.bits), a)
        self.assertEqual((world.get(b, Owner).since, world.get(b, Velocity).x), (7, 0))
        self.assertTrue(world.get(a, Frozen) and not world.has(b, Frozen))
        world.get_mut(a, Position).x = 9
        self.assertEqual(world.get(a, Position).x, 9)
        self.assertTrue(world.delete(a, Frozen))
        self.assertFalse(world.delete(a, Frozen))
        self.assertTrue(world.delete(a) and not world.is_alive(a) and not world.delete(a))
        self.assertIsNone(world.get(a, Position))

    def test_errors_are_exceptions_with_a_message(self):
        with self.assertRaises(keel.Error) as raised:
            self.world.add(keel.Entity(), Position(1, 1))
        self.assertEqual(raised.exception.result, keel.lib.KEEL_ERROR_DEAD_ENTITY)
        a = self.world.add_entity()
        with self.assertRaises(keel.Error) as raised:
            self.world.attach(a, a)
        self.assertEqual(raised.exception.result, keel.lib.KEEL_ERROR_CYCLE)
        self.assertRaises(TypeError, self.world.add, a, 3)
        self.assertRaises(TypeError, Frozen, 3)
        other = keel.Component("Position", x="f64")
        with self.assertRaises(keel.Error) as raised:
            self.world.add(self.world.add_entity(Position(1, 1)), other(1))
        self.assertEqual(raised.exception.result, keel.lib.KEEL_ERROR_COMPONENT)
        self.assertIn("Position", str(raised.exception))

    def test_systems_get_what_their_terms_say(self):
        world, seen = self.world, []

        @keel.system(keel.write(Position), keel.optional_read(Velocity), keel.without(Frozen), keel.unique_read(Time),
                     keel.entity, keel.commands)
        def move(p, v, time, e, commands):
            seen.append(e)
            p.x += (v.x if v else 1) * time.step
            if p.x > 100:
                commands.delete(e)

        world.set_unique(Time(0.5))
        entities = [world.add_entity(Position(i, 0)) for i in range(200)]
        for e in entities[::2]:
            world.add(e, Velocity(10))
        for e in entities[::3]:
            world.add(e, Frozen)
        self.assertTrue(world.run(move))
        self.assertEqual(set(seen), {e for i, e in enumerate(entities) if i % 3})
        for i, e in enumerate(entities):
            x = i + (0 if i % 3 == 0 else 0.5 if i % 2 else 5)
            self.assertEqual(world.is_alive(e), i % 3 == 0 or x <= 100)
            if world.is_alive(e):
                self.assertEqual(world.get(e, Position).x, x)

    def test_conditions_answer_and_workloads_run(self):
        world = self.world

        @keel.condition(keel.unique_write(Time))
        def three_times(time):
            time.frames += 1
            return time.frames <= 3

        @keel.system(keel.write(Position))
        def right(p):
            p.x += 1

        @keel.system_once(keel.may_read(Position), keel.context, keel.unique_write(Time))
        def look(context, time):
            time.step = context.get(ship, Position).x

        world.set_unique(Time())
        ship = world.add_entity(Position(0, 0))
        world.add_step("frame", right, run_if=three_times)
        world.add_step("frame", look, after="right")
        for _ in range(5):
            world.run_workload("frame")
        self.assertEqual(world.get(ship, Position).x, 3)
        self.assertEqual((world.get_unique(Time).step, world.get_unique(Time).frames), (3, 5))

    def test_an_exception_of_a_system_is_raised_by_run(self):
        seen = []

        @keel.system(keel.read(Position))
        def bad(p):
            seen.append(p.x)
            raise ValueError("no good")

        for i in range(3):
            self.world.add_entity(Position(i, 0))
        with self.assertRaises(ValueError) as raised:
            self.world.run(bad)
        self.assertEqual(seen, [0])
        self.assertEqual(raised.exception.__cause__.result, keel.lib.KEEL_ERROR_SYSTEM)
        self.assertIn("no good", str(raised.exception.__cause__))

    def test_commands_wait(self):
        e = self.world.commands.add_entity(Position(7, 7))
        self.assertFalse(self.world.is_alive(e))
        self.world.apply_commands()
        self.assertEqual(self.world.get(e, Position).x, 7)

    def test_what_was_not_declared_is_refused(self):
        @keel.system_once(keel.context)
        def looks(context):
            context.get(e, Position)

        e = self.world.add_entity(Position(1, 1))
        self.assertRaises(keel.Error, self.world.run, looks)


class Threads(unittest.TestCase):
    def test_workers_call_python(self):
        results = []
        for workers in (1, 4):
            with keel.World(worker_count=workers) as world:
                components = [keel.Component(f"C{i}", n="u64") for i in range(4)]

                def make(c):
                    @keel.system(keel.write(c))
                    def grow(value):
                        value.n = value.n * 3 + 1
                    return grow
                for c in components:
                    world.add_step("frame", make(c))
                entities = [world.add_entity(*(c(i) for c in components)) for i in range(100)]
                for _ in range(20):
                    world.run_workload("frame")
                results.append([[world.get(e, c).n for c in components] for e in entities])
        self.assertEqual(results[0], results[1])


unittest.main()
