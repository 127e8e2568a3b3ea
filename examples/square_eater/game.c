// SPDX-License-Identifier: MIT
// The rules of Square Eater: a workload of small systems that plays one frame. timeline.c calls it.
// Floats are added, multiplied, divided and rooted only, so that every machine computes the same bits.
#include "game.h"
#include <math.h>

// What to change first: the numbers of the game.
enum {
    MAX_FRIENDS = 90,
    MENU_FRIENDS = 36,
    MAX_PELLETS = 3,
    POWER_FRAMES = 6 * FRAMES_PER_SECOND,
    SAFE_FRAMES = 90,       // after a hit
    PELLET_INTERVAL = 390,  // frames
    SLOWEST_SPAWN = 46,     // frames between two squares at the begin of a match,
    FASTEST_SPAWN = 15,     // and later
    LONGEST_CHAIN = 8, // squares that were eaten with one pellet, of which each counts more
    PELLET_SIDE = 14,
};
static const float start_side = 34;
static const float smallest_side = 19; // who is smaller has lost
static const float largest_side = 120;
static const float growth = 0.13f; // of a friend, pixels per frame

// ---------------------------------------------------------------- chance
static uint32_t roll(Dice *dice, uint32_t below) {
    dice->state ^= dice->state << 13;
    dice->state ^= dice->state >> 17;
    dice->state ^= dice->state << 5;
    return dice->state % below;
}

static float roll_between(Dice *dice, float low, float high) {
    return low + (high - low) * ((float)roll(dice, 1u << 16) / 65536.0f);
}

// ---------------------------------------------------------------- states
// Returns the number of places up to the last one that is taken.
static int32_t places_of(int32_t there) {
    int32_t places = 0;
    for (int32_t i = 0; i < MAX_PLAYERS; ++i)
        if (there >> i & 1) places = i + 1;
    return places;
}

KEEL_SYSTEM_ONCE(press_buttons, KEEL_UNIQUE_READ(Input, input), KEEL_UNIQUE_READ(Phase, phase), KEEL_UNIQUE_WRITE(Clock, clock),
                 KEEL_UNIQUE_WRITE(Match, match), KEEL_CONTEXT(context), KEEL_MAY_SET_STATE(Phase)) {
    uint32_t buttons = 0; // of all players
    for (int i = 0; i < MAX_PLAYERS; ++i)
        buttons |= input->pads[i].buttons;
    ++clock->frame;
    match->idle = *phase == PLAYING ? 0 : match->idle + 1;
    if (*phase == MENU && buttons & (PRESS_ONE | PRESS_TWO)) match->there = buttons & PRESS_TWO ? 3 : 1;
    if (*phase == MENU) match->players = places_of(match->there);
    const bool start = buttons & PRESS_START;
    const bool pause = buttons & PRESS_PAUSE;
    if (*phase == STARTING) keel_set_state(context, Phase, PLAYING);
    else if (buttons & PRESS_RESTART) keel_set_state(context, Phase, STARTING);
    else if (start && (*phase == MENU || *phase == OVER)) keel_set_state(context, Phase, STARTING);
    else if (*phase == PAUSED && (start || pause)) keel_set_state(context, Phase, PLAYING);
    else if (*phase == PLAYING && pause) keel_set_state(context, Phase, PAUSED);
}

static void add_player(keel_commands *commands, int32_t index, int32_t places) {
    const float x = (float)(ARENA_WIDTH * (index + 1)) / (float)(places + 1);
    keel_add_entity(commands, KEEL_INIT(Player, { .index = index, .invincible = SAFE_FRAMES }),
                    KEEL_INIT(Position, { x, ARENA_HEIGHT / 2 }), KEEL_INIT(Velocity, { 0, 0 }), KEEL_INIT(Size, { start_side }));
}

KEEL_SYSTEM_ONCE(begin_match, KEEL_UNIQUE_WRITE(Match, match), KEEL_UNIQUE_READ(Clock, clock), KEEL_COMMANDS(commands)) {
    const int32_t there = match->there;
    *match = (Match){ .players = places_of(there), .there = there, .seated = there, .began = clock->frame };
    keel_delete_entities_having(commands, Position);
    for (int32_t i = 0; i < match->players; ++i)
        if (there >> i & 1) add_player(commands, i, match->players);
}

// Who came while others play gets a square, once in a match. The square of who left is gone, and the score stays.
KEEL_SYSTEM_ONCE(seat_players, KEEL_UNIQUE_WRITE(Match, match), KEEL_MAY_READ(Player), KEEL_CONTEXT(context), KEEL_COMMANDS(commands)) {
    const int32_t came = match->there & ~match->seated, left = match->seated & ~match->there;
    if (!came && !left) return;
    match->seated = match->there;
    if (match->players < places_of(match->there)) match->players = places_of(match->there);
    KEEL_EACH(context, KEEL_READ(Player, player), KEEL_ENTITY(square))
        if (left >> player->index & 1) keel_delete_entity(commands, square);
    for (int32_t i = 0; i < MAX_PLAYERS; ++i) {
        if (!(came >> i & 1)) continue;
        match->score[i] = 0;
        add_player(commands, i, match->players);
    }
}

// ---------------------------------------------------------------- what appears
static uint32_t spawn_interval(const Match *match) {
    const int32_t interval = SLOWEST_SPAWN - match->time / 240;
    return (uint32_t)(interval < FASTEST_SPAWN ? FASTEST_SPAWN : interval);
}

KEEL_SYSTEM_ONCE(spawn_friends, KEEL_UNIQUE_WRITE(Dice, dice), KEEL_UNIQUE_READ(Match, match), KEEL_UNIQUE_READ(Phase, phase),
                 KEEL_MAY_READ(Friend), KEEL_CONTEXT(context), KEEL_COMMANDS(commands)) {
    if (*phase == OVER || keel_count(context, Friend) >= (*phase == MENU ? MENU_FRIENDS : MAX_FRIENDS)) return;
    if (roll(dice, spawn_interval(match)) != 0) return;
    const Position at = { roll_between(dice, 20, ARENA_WIDTH - 20), roll_between(dice, ARENA_TOP + 20, ARENA_BOTTOM - 20) };
    const Velocity drift = { roll_between(dice, -0.7f, 0.7f), roll_between(dice, -0.7f, 0.7f) };
    const float hurry = (float)match->time / 18000.0f; // one more after five minutes
    const Friend born = { .full = roll_between(dice, 19, 33), .speed = roll_between(dice, 1.4f, 2.4f) + hurry };
    keel_add_entity(commands, KEEL_INIT(Friend, born), KEEL_INIT(Position, at), KEEL_INIT(Velocity, drift), KEEL_INIT(Size, { 5 }));
}

KEEL_SYSTEM_ONCE(spawn_pellets, KEEL_UNIQUE_WRITE(Dice, dice), KEEL_MAY_READ(Pellet), KEEL_CONTEXT(context), KEEL_COMMANDS(commands)) {
    if (keel_count(context, Pellet) >= MAX_PELLETS || roll(dice, PELLET_INTERVAL) != 0) return;
    const Position at = { roll_between(dice, 40, ARENA_WIDTH - 40), roll_between(dice, ARENA_TOP + 30, ARENA_BOTTOM - 30) };
    keel_add_entity(commands, KEEL_INIT(Pellet, { 0 }), KEEL_INIT(Position, at), KEEL_INIT(Size, { PELLET_SIDE }));
}

KEEL_SYSTEM(grow_friends, KEEL_WRITE(Friend, friend), KEEL_WRITE(Size, size)) {
    if (friend->grown) return;
    size->side += growth;
    friend->grown = size->side >= friend->full;
}

KEEL_SYSTEM(age_pellets, KEEL_WRITE(Pellet, pellet)) { ++pellet->age; }

// ---------------------------------------------------------------- movement
// Returns the velocity that leads a player to where its input points, slower for a large one.
static Velocity wish_of(Pad pad, const Position *p, float side) {
    const float speed = 4.8f - side * 0.02f;
    if (pad.x || pad.y) {
        const float part = pad.x && pad.y ? 0.70710678f : 1;
        return (Velocity){ (float)pad.x * speed * part, (float)pad.y * speed * part };
    }
    if (!(pad.buttons & POINTING)) return (Velocity){ 0, 0 };
    const float x = (float)pad.to_x - p->x;
    const float y = (float)pad.to_y - p->y;
    const float far = sqrtf(x * x + y * y);
    if (far < 1) return (Velocity){ 0, 0 };
    const float part = (far * 0.2f < speed ? far * 0.2f : speed) / far;
    return (Velocity){ x * part, y * part };
}

KEEL_SYSTEM(drive_players, KEEL_READ(Player, player), KEEL_READ(Position, p), KEEL_READ(Size, size), KEEL_WRITE(Velocity, v),
            KEEL_UNIQUE_READ(Input, input)) {
    const Velocity wish = wish_of(input->pads[player->index], p, size->side);
    v->x += (wish.x - v->x) * 0.3f;
    v->y += (wish.y - v->y) * 0.3f;
}

// Adds a push away from the squares that are too near, so that a crowd stays a crowd of squares.
static void keep_apart(const keel_view *others, const Position *p, float side, Velocity *v) {
    keel_iterator it;
    keel_iterator_begin(&it, others);
    for (keel_span span; keel_iterator_next_span(&it, &span);) {
        const Position *q = keel_span_read(&span, Position);
        const Size *size = keel_span_read(&span, Size);
        for (uint32_t i = 0; i < span.count; ++i) {
            const float x = p->x - q[i].x;
            const float y = p->y - q[i].y;
            const float room = (side + size[i].side) * 0.6f;
            const float square = x * x + y * y;
            if (square >= room * room || square == 0) continue; // 0: it is itself
            const float push = 0.25f * (room - sqrtf(square)) / room;
            v->x += x * push / room;
            v->y += y * push / room;
        }
    }
}

// Adds the pull of the nearest player: towards it, or away from one that has power.
static void hunt(const keel_view *players, const Position *p, Velocity *v) {
    float nearest = 1e9f;
    Velocity pull = { 0, 0 };
    keel_iterator it;
    keel_iterator_begin(&it, players);
    for (keel_span span; keel_iterator_next_span(&it, &span);) {
        const Position *q = keel_span_read(&span, Position);
        const Player *player = keel_span_read(&span, Player);
        for (uint32_t i = 0; i < span.count; ++i) {
            const float x = q[i].x - p->x;
            const float y = q[i].y - p->y;
            const float far = sqrtf(x * x + y * y) + 1;
            if (far >= nearest) continue;
            nearest = far;
            const float force = (player[i].power > 0 ? -0.09f : 0.055f) / far;
            pull = (Velocity){ x * force, y * force };
        }
    }
    v->x += pull.x;
    v->y += pull.y;
}

KEEL_SYSTEM(steer_friends, KEEL_READ(Friend, friend), KEEL_READ(Position, p), KEEL_READ(Size, size), KEEL_WRITE(Velocity, v),
            KEEL_VIEW(others, KEEL_READ(Position, q), KEEL_READ(Size, s), KEEL_WITH(Friend)),
            KEEL_VIEW(players, KEEL_READ(Player, player), KEEL_READ(Position, r))) {
    keep_apart(others, p, size->side, v);
    if (friend->grown) hunt(players, p, v);
    const float limit = friend->grown ? friend->speed : 0.8f;
    const float speed = sqrtf(v->x * v->x + v->y * v->y);
    if (speed <= limit) return;
    const float slower = (limit + (speed - limit) * 0.93f) / speed; // one that was knocked away slows down by and by
    v->x *= slower;
    v->y *= slower;
}

static void bounce(float *at, float *speed, float half, float begin, float end) {
    if (*at < begin + half) {
        *at = begin + half;
        *speed = *speed < 0 ? -*speed : *speed;
    }
    if (*at > end - half) {
        *at = end - half;
        *speed = *speed > 0 ? -*speed : *speed;
    }
}

KEEL_SYSTEM(move, KEEL_WRITE(Position, p), KEEL_WRITE(Velocity, v), KEEL_READ(Size, size)) {
    p->x += v->x;
    p->y += v->y;
    bounce(&p->x, &v->x, size->side / 2, 0, ARENA_WIDTH);
    bounce(&p->y, &v->y, size->side / 2, ARENA_TOP, ARENA_BOTTOM);
}

// ---------------------------------------------------------------- eating and being hit
KEEL_SYSTEM(find_touches, KEEL_WITH(Player), KEEL_READ(Position, p), KEEL_READ(Size, size), KEEL_ENTITY(player),
            KEEL_VIEW(others, KEEL_READ(Position, q), KEEL_READ(Size, s), KEEL_ENTITY(e), KEEL_ANY_OF(Friend, Pellet)),
            KEEL_SEND(Touch, touches)) {
    keel_iterator it;
    keel_iterator_begin(&it, others);
    for (keel_span span; keel_iterator_next_span(&it, &span);) {
        const Position *q = keel_span_read(&span, Position);
        const Size *s = keel_span_read(&span, Size);
        for (uint32_t i = 0; i < span.count; ++i) {
            const float reach = (size->side + s[i].side) / 2;
            if (fabsf(p->x - q[i].x) < reach && fabsf(p->y - q[i].y) < reach) keel_send(touches, Touch, { player, span.entities[i] });
        }
    }
}

static void burst(keel_commands *commands, Dice *dice, Position at, int32_t paint, int32_t count) {
    for (int32_t i = 0; i < count; ++i) {
        const Velocity v = { roll_between(dice, -3, 3), roll_between(dice, -3, 3) };
        const Particle particle = { .left = 14 + (int32_t)roll(dice, 22), .paint = paint };
        keel_add_entity(commands, KEEL_INIT(Particle, particle), KEEL_INIT(Position, at), KEEL_INIT(Velocity, v),
                        KEEL_INIT(Size, { roll_between(dice, 4, 10) }));
    }
}

// Returns the side of a square that has eaten another one: a part of its area is added, less to a large square.
static float side_after(float side, float meal) {
    const float part = 0.35f * (largest_side - side) / largest_side;
    return sqrtf(side * side + meal * meal * (part > 0 ? part : 0));
}

// What answering a touch needs: both squares, and where the answer goes.
typedef struct Meeting {
    keel_context *context;
    keel_commands *commands;
    Match *match;
    Dice *dice;
    keel_entity who, other;
    Player *player;
    Size *size;
    Position at; // of the other
} Meeting;

static void eat(const Meeting *m, float meal, int32_t points, int32_t paint) {
    m->size->side = side_after(m->size->side, meal);
    m->player->pop = 1;
    m->match->score[m->player->index] += points;
    burst(m->commands, m->dice, m->at, paint, 10);
    keel_add_entity(m->commands, KEEL_INIT(Particle, { .left = 45, .paint = PAINT_PELLET, .points = points }), KEEL_INIT(Position, m->at),
                    KEEL_INIT(Velocity, { 0, -1.6f }), KEEL_INIT(Size, { 1 }));
    keel_delete_entity(m->commands, m->other);
}

static void take_hit(const Meeting *m) {
    const Position at = *keel_get(m->context, m->who, Position);
    const int32_t paint = PAINT_PLAYER + m->player->index;
    m->size->side *= 0.78f;
    m->player->invincible = SAFE_FRAMES;
    m->match->shake = 14;
    const float x = m->at.x - at.x;
    const float y = m->at.y - at.y;
    const float far = sqrtf(x * x + y * y) + 1;
    Velocity *away = keel_get_mut(m->context, m->other, Velocity);
    if (away) *away = (Velocity){ 8 * x / far, 8 * y / far };
    const bool lost = m->size->side < smallest_side;
    burst(m->commands, m->dice, at, paint, lost ? 60 : 16);
    if (lost) keel_delete_entity(m->commands, m->who);
}

static void meet_friend(const Meeting *m, Friend *friend) {
    if (friend->eaten || m->size->side < smallest_side) return; // another player was faster; or it has lost in this frame
    const float meal = keel_get(m->context, m->other, Size)->side;
    if (!friend->grown) {
        friend->eaten = 1;
        eat(m, meal, 10, PAINT_FRIEND);
    } else if (m->player->power > 0) {
        friend->eaten = 1;
        if (m->player->chain < LONGEST_CHAIN) ++m->player->chain;
        eat(m, meal, 25 * m->player->chain, PAINT_FOE);
    } else if (m->player->invincible == 0) {
        take_hit(m);
    }
}

static void meet_pellet(const Meeting *m, Pellet *pellet) {
    if (pellet->age < 0) return; // another player was faster
    pellet->age = -1;
    m->player->power = POWER_FRAMES;
    m->player->chain = 0;
    eat(m, PELLET_SIDE, 5, PAINT_PELLET);
}

KEEL_SYSTEM_ONCE(answer_touches, KEEL_RECEIVE(Touch, touches), KEEL_MAY_WRITE(Player, Size, Velocity, Friend, Pellet),
                 KEEL_MAY_READ(Position), KEEL_UNIQUE_WRITE(Match, match), KEEL_UNIQUE_WRITE(Dice, dice), KEEL_CONTEXT(context),
                 KEEL_COMMANDS(commands)) {
    KEEL_EACH_EVENT(touches, Touch, touch) {
        Meeting m = { .context = context, .commands = commands, .match = match, .dice = dice, .who = touch->player, .other = touch->other };
        m.player = keel_get_mut(context, m.who, Player);
        m.size = keel_get_mut(context, m.who, Size);
        const Position *at = keel_get(context, m.other, Position);
        if (!m.player || !m.size || !at) continue;
        m.at = *at;
        Friend *friend = keel_get_mut(context, m.other, Friend);
        Pellet *pellet = keel_get_mut(context, m.other, Pellet);
        if (friend) meet_friend(&m, friend);
        else if (pellet) meet_pellet(&m, pellet);
    }
}

// ---------------------------------------------------------------- what passes
KEEL_SYSTEM(age_players, KEEL_WRITE(Player, player), KEEL_WRITE(Size, size)) {
    if (player->power > 0) --player->power;
    if (player->invincible > 0) --player->invincible;
    player->pop *= 0.9f;
    if (size->side > start_side) size->side -= (size->side - start_side) * 0.0006f; // who waits gets hungry
}

KEEL_SYSTEM(age_particles, KEEL_WRITE(Particle, particle), KEEL_WRITE(Velocity, v), KEEL_WRITE(Size, size), KEEL_ENTITY(e),
            KEEL_COMMANDS(commands)) {
    v->x *= 0.94f;
    v->y *= 0.94f;
    size->side *= 0.97f;
    if (--particle->left <= 0) keel_delete_entity(commands, e);
}

KEEL_SYSTEM_ONCE(judge, KEEL_UNIQUE_WRITE(Match, match), KEEL_MAY_READ(Player), KEEL_CONTEXT(context), KEEL_MAY_SET_STATE(Phase)) {
    ++match->time;
    if (keel_count(context, Player) == 0) keel_set_state(context, Phase, OVER);
}

KEEL_SYSTEM_ONCE(calm_down, KEEL_UNIQUE_WRITE(Match, match)) {
    if (match->shake > 0) --match->shake;
}

KEEL_CONDITION(time_passes, KEEL_UNIQUE_READ(Phase, phase)) { return *phase != PAUSED; }

KEEL_WORKLOAD(arena, KEEL_STEP(spawn_friends), KEEL_STEP(spawn_pellets, .in_state = KEEL_IN(Phase, PLAYING)), KEEL_STEP(grow_friends),
              KEEL_STEP(age_pellets), KEEL_STEP(drive_players), KEEL_STEP(steer_friends, .parallel = true),
              KEEL_STEP(move, .parallel = true), KEEL_STEP(find_touches), KEEL_STEP(answer_touches), KEEL_STEP(age_players),
              KEEL_STEP(age_particles, .parallel = true), KEEL_STEP(judge, .in_state = KEEL_IN(Phase, PLAYING)), KEEL_STEP(calm_down));

KEEL_WORKLOAD(frame, KEEL_STEP(press_buttons), KEEL_TRANSITION(Phase), KEEL_STEP(begin_match, .on_enter = KEEL_IN(Phase, STARTING)),
              KEEL_STEP(seat_players, .in_state = KEEL_IN(Phase, PLAYING)),
              KEEL_NESTED(arena, .run_if = KEEL_IF(time_passes)));

// ---------------------------------------------------------------- from outside
uint32_t game_dice(uint32_t seed) { return seed * 2654435761u + 88172645u; }

keel_world *game_create(uint32_t seed, int32_t players, uint32_t threads) {
    keel_world *world = keel_world_create(&(keel_world_desc){ .worker_count = threads });
    if (!world) return NULL;
    // All types are made known here: a restored world needs them in the order of the one that was taken, and who joins a
    // running game needs all of them.
    keel_register(world, Position, Velocity, Size, Player, Friend, Pellet, Particle);
    keel_register_component(world, KEEL_EVENT_OF(Touch));
    keel_set_unique(world, Input, { .pads[0] = { 0 } });
    keel_set_unique(world, Clock, { 0 });
    keel_set_unique(world, Dice, { game_dice(seed) });
    keel_set_unique(world, Match, { .players = players, .there = (1 << players) - 1 });
    if (keel_set_state(world, Phase, MENU) == KEEL_OK && keel_get_unique(world, Match)) return world;
    keel_world_destroy(world);
    return NULL;
}

keel_result game_step(keel_world *world, const Input *input) {
    KEEL_TRY(keel_set_unique(world, Input, *input));
    return keel_run_workload(world, frame);
}

uint64_t game_hash(keel_world *world) {
    uint64_t hash = 0;
    keel_world_hash(world, &hash);
    return hash;
}

Phase game_phase(const keel_world *world) { return *keel_get_unique(world, Phase); }
