// SPDX-License-Identifier: MIT
// The default transport of sessions: ENet, over UDP and IPv4. One socket takes connections and
// makes them, so that each player can be reached by the others. session.c opens it when the program
// gives no transport of its own. Peers are strangers: the limits below are those of SECURITY.md.
#include "packet.h"

#ifndef KEELI_SESSION_ENET
keel_session_transport keel_enet_transport(const keel_enet_desc *desc) {
    (void)desc;
    return (keel_session_transport){ 0 };
}
#else

#include <enet/enet.h>
#include <enet/time.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHANNEL_RELIABLE = 0,
    CHANNEL_UNRELIABLE = 1,
    CHANNELS = 2,
    CHECKSUM = 4, // bytes in each datagram
    LONGEST_PACKET = 65536,
    MOST_FRAGMENTS = 128,        // a packet has at most, with the smallest datagrams
    WAITING_TO_ARRIVE = 262144,  // bytes of a machine that were received and not handed over
    WAITING_TO_LEAVE = 96 << 20, // bytes for a machine that it does not acknowledge: an image
    WAITING_PACKETS = 64,        // these are kept until the connection to a machine stands
    WAITING_BYTES = 131072,      // the same
    EVENTS_AT_ONCE = 64,         // connections that come and go in one receive
    NEVER_MS = 72000000,         // ENet's time ends after a day
    STRANGER_MS = 3000,          // in which a new machine must say something
    LEAVING_MS = 3000,           // in which a machine that is forgotten gets what was sent last
    CLOSING_MS = 500,            // the same, when the session ends
    LOOK_MS = 250                // between two looks for strangers
};

// A machine. Its place is that of its ENetPeer.
typedef struct enet_link {
    bool is_used;
    bool is_ours;      // we connected to it
    bool is_connected; // the connection stands
    bool is_leaving;   // the session has forgotten it
    bool was_heard;    // the session got a packet of it
    uint32_t number;   // names it to the session; no other machine gets it again
    enet_uint32 since; // when it appeared
    size_t queued;     // bytes of packets that were not acknowledged
    ENetPacket *waiting[WAITING_PACKETS];
    uint32_t waiting_count;
} enet_link;

typedef struct enet_state {
    ENetHost *host; // NULL: not open yet
    keel_enet_desc desc;
    enet_link *links; // desc.peers
    uint32_t next_number;
    enet_uint32 looked_at;
    bool has_connected; // the host that the user named; what follows are addresses from packets
    char problem[256];
} enet_state;

// ------------------------------------------------------------------ what comes in
// Looks through the commands of a datagram. False: one of them is none of a session, and would
// cost memory: an empty packet, which no limit of ENet counts, or one of a million fragments.
static bool enet_commands_fit(const enet_uint8 *at, size_t left) {
    while (left >= sizeof(ENetProtocolCommandHeader)) {
        const enet_uint8 kind = at[0] & ENET_PROTOCOL_COMMAND_MASK;
        const size_t size =
            kind < ENET_PROTOCOL_COMMAND_COUNT ? enet_protocol_command_size(kind) : 0;
        if (!size || size > left) return true; // ENet stops here
        ENetProtocol c;
        memset(&c, 0, sizeof c);
        memcpy(&c, at, size);
        size_t data = 0, whole = PACKET_HEAD;
        if (kind == ENET_PROTOCOL_COMMAND_SEND_RELIABLE) {
            data = whole = ENET_NET_TO_HOST_16(c.sendReliable.dataLength);
        } else if (kind == ENET_PROTOCOL_COMMAND_SEND_UNRELIABLE) {
            data = whole = ENET_NET_TO_HOST_16(c.sendUnreliable.dataLength);
        } else if (kind == ENET_PROTOCOL_COMMAND_SEND_UNSEQUENCED) {
            data = whole = ENET_NET_TO_HOST_16(c.sendUnsequenced.dataLength);
        } else if (kind == ENET_PROTOCOL_COMMAND_SEND_FRAGMENT) {
            data = ENET_NET_TO_HOST_16(c.sendFragment.dataLength);
            whole = ENET_NET_TO_HOST_32(c.sendFragment.totalLength);
            if (ENET_NET_TO_HOST_32(c.sendFragment.fragmentCount) > MOST_FRAGMENTS) return false;
        } else if (kind == ENET_PROTOCOL_COMMAND_SEND_UNRELIABLE_FRAGMENT) {
            return false;
        }
        if (whole < PACKET_HEAD) return false;
        if (data > left - size) return true;
        at += size + data;
        left -= size + data;
    }
    return true;
}

static bool is_this_machine(const ENetAddress *address) {
    return (ENET_NET_TO_HOST_32(address->host) >> 24) == 127;
}

// Sees each datagram before ENet does. 1: it is left out.
static int ENET_CALLBACK enet_intercept(ENetHost *host, ENetEvent *event) {
    (void)event;
    const enet_state *t = host->peers[0].data;
    const bool is_local = is_this_machine(&host->receivedAddress);
    host->duplicatePeers = is_local ? host->peerCount : t->desc.peers_per_address;
    if (host->receivedDataLength < 2) return 1;
    const uint32_t head = (uint32_t)host->receivedData[0] << 8 | host->receivedData[1];
    const size_t head_size = (head & ENET_PROTOCOL_HEADER_FLAG_SENT_TIME ? 4 : 2) + CHECKSUM;
    if (head & ENET_PROTOCOL_HEADER_FLAG_COMPRESSED || host->receivedDataLength < head_size)
        return 1;
    return !enet_commands_fit(host->receivedData + head_size, host->receivedDataLength - head_size);
}

// ------------------------------------------------------------------ links
static enet_link *enet_link_of(enet_state *t, const ENetPeer *peer) {
    return &t->links[peer - t->host->peers];
}
static ENetPeer *enet_peer_at(const enet_state *t, const enet_link *link) {
    return &t->host->peers[link - t->links];
}

// Returns the machine of a number, or NULL if it is gone.
static enet_link *enet_find_link(enet_state *t, uint32_t number) {
    for (uint32_t i = 0; t->host && i < t->desc.peers; ++i) {
        enet_link *link = &t->links[i];
        if (link->is_used && !link->is_leaving && link->number == number) return link;
    }
    return NULL;
}

static enet_link *enet_begin_link(enet_state *t, const ENetPeer *peer, bool is_ours) {
    enet_link *link = enet_link_of(t, peer);
    *link = (enet_link){
        .is_used = true, .is_ours = is_ours, .number = t->next_number++, .since = enet_time_get()
    };
    return link;
}

// Frees the place of a machine whose ENetPeer was reset.
static void enet_end_link(enet_link *link) {
    for (uint32_t i = 0; i < link->waiting_count; ++i)
        enet_packet_destroy(link->waiting[i]);
    *link = (enet_link){ 0 };
}

// ------------------------------------------------------------------ sending
static void ENET_CALLBACK enet_packet_freed(ENetPacket *p) {
    enet_link *link = p->userData;
    link->queued -= p->dataLength;
}

static void enet_post(enet_state *t, enet_link *link, ENetPacket *p) {
    const bool is_reliable = p->flags & ENET_PACKET_FLAG_RELIABLE;
    const enet_uint8 channel = is_reliable ? CHANNEL_RELIABLE : CHANNEL_UNRELIABLE;
    if (enet_peer_send(enet_peer_at(t, link), channel, p) < 0) enet_packet_destroy(p);
}

// Ends the connection to a machine at once. One that is about to end waits for its event: ENet
// 1.3.17 leaves a machine that it resets then in the list of those with events, and hangs later.
static void enet_cut(enet_state *t, enet_link *link) {
    ENetPeer *peer = enet_peer_at(t, link);
    link->is_leaving = true;
    if (peer->state == ENET_PEER_STATE_ZOMBIE || peer->state == ENET_PEER_STATE_DISCONNECTING ||
        peer->state == ENET_PEER_STATE_ACKNOWLEDGING_DISCONNECT)
        return;
    enet_peer_disconnect_now(peer, 0);
    enet_end_link(link);
}

static void enet_send(void *self, uint32_t peer, const void *bytes, size_t size, bool reliable) {
    enet_state *t = self;
    enet_link *link = enet_find_link(t, peer);
    if (!link || !size || size > LONGEST_PACKET) return;
    if (link->queued > WAITING_TO_LEAVE) {
        enet_cut(t, link);
        return;
    }
    const bool may_wait =
        reliable && link->waiting_count < WAITING_PACKETS && link->queued + size <= WAITING_BYTES;
    if (!link->is_connected && !may_wait) return;

    // Unsequenced: one that is overtaken still counts, and none waits for another.
    ENetPacket *p = enet_packet_create(bytes, size,
                                       reliable ? (enet_uint32)ENET_PACKET_FLAG_RELIABLE
                                                : (enet_uint32)ENET_PACKET_FLAG_UNSEQUENCED);
    if (!p) return;
    p->userData = link;
    p->freeCallback = enet_packet_freed;
    link->queued += size;
    if (link->is_connected) enet_post(t, link, p);
    else link->waiting[link->waiting_count++] = p;
}

static void enet_flush(void *self) {
    const enet_state *t = self;
    if (t->host) enet_host_flush(t->host);
}

// ------------------------------------------------------------------ receiving
// ENet's throttle would leave out unreliable packets when their way takes longer, and its timeout
// would end connections that the session still wants.
static void enet_connected(enet_state *t, ENetPeer *peer) {
    enet_link *link = enet_link_of(t, peer);
    if (!link->is_ours) link = enet_begin_link(t, peer, false);
    link->is_connected = true;
    enet_peer_throttle_configure(peer, 1000, ENET_PEER_PACKET_THROTTLE_SCALE, 0);
    enet_peer_timeout(peer, 0, NEVER_MS, NEVER_MS);
    for (uint32_t i = 0; i < link->waiting_count; ++i)
        enet_post(t, link, link->waiting[i]);
    link->waiting_count = 0;
}

// Resets those who began to connect and did not go on, or who said nothing.
static void enet_look_for_strangers(enet_state *t) {
    const enet_uint32 now = enet_time_get();
    if (ENET_TIME_DIFFERENCE(now, t->looked_at) < LOOK_MS) return;
    t->looked_at = now;
    for (uint32_t i = 0; i < t->desc.peers; ++i) {
        enet_link *link = &t->links[i];
        const ENetPeer *peer = enet_peer_at(t, link);
        if (link->is_ours || link->was_heard) continue;
        if (peer->state == ENET_PEER_STATE_DISCONNECTED) enet_end_link(link);
        else if (!link->is_used) (void)enet_begin_link(t, peer, false); // it connects
        else if (ENET_TIME_DIFFERENCE(now, link->since) > STRANGER_MS) enet_cut(t, link);
    }
}

// Takes a packet of a machine; returns its bytes, or 0 if nobody wants it.
static size_t enet_take(enet_state *t, const ENetEvent *event, uint32_t *peer, void *bytes,
                        size_t capacity) {
    enet_link *link = enet_link_of(t, event->peer);
    size_t size = event->packet->dataLength;
    if (!link->is_used || link->is_leaving || size > capacity) size = 0;
    if (size) {
        memcpy(bytes, event->packet->data, size);
        *peer = link->number;
        link->was_heard = true;
    }
    enet_packet_destroy(event->packet);
    return size;
}

static size_t enet_receive(void *self, uint32_t *peer, void *bytes, size_t capacity) {
    enet_state *t = self;
    if (!t->host) return 0;
    enet_look_for_strangers(t);
    ENetEvent event;
    for (uint32_t i = 0; i < EVENTS_AT_ONCE && enet_host_service(t->host, &event, 0) > 0; ++i) {
        if (event.type == ENET_EVENT_TYPE_CONNECT) {
            enet_connected(t, event.peer);
        } else if (event.type == ENET_EVENT_TYPE_DISCONNECT) {
            enet_end_link(enet_link_of(t, event.peer));
        } else if (event.type == ENET_EVENT_TYPE_RECEIVE) {
            const size_t size = enet_take(t, &event, peer, bytes, capacity);
            if (size) return size;
        }
    }
    return 0;
}

// ------------------------------------------------------------------ opening
static bool enet_refuse(enet_state *t, const char *format, const char *text) {
    snprintf(t->problem, sizeof t->problem, format, text);
    return false;
}

// Opens the socket. Port 0: the system chooses one.
static bool enet_open(enet_state *t, uint16_t port) {
    if (t->host) return true;
    const ENetAddress address = { .host = ENET_HOST_ANY, .port = port };
    char number[8];
    snprintf(number, sizeof number, "%u", (unsigned)port);
    errno = 0;
    t->host = enet_host_create(&address, t->desc.peers, CHANNELS, 0, 0);
    if (!t->host) {
        if (errno == EADDRINUSE)
            return enet_refuse(t, "port %s is in use by another program; take another port",
                               number);
        if (errno == EACCES)
            return enet_refuse(t, "port %s belongs to the system; take one above 1023", number);
        return enet_refuse(t, "port %s cannot be opened", number);
    }
    for (uint32_t i = 0; i < t->desc.peers; ++i)
        t->host->peers[i].data = t;
    t->host->maximumPacketSize = LONGEST_PACKET;
    t->host->maximumWaitingData = WAITING_TO_ARRIVE;
    t->host->intercept = enet_intercept;
    // ENet adds the connection's number of 32 random bits to the checksum. Without it, whoever
    // knows the addresses of two players could end their connection.
    t->host->checksum = enet_crc32;
    return true;
}

static bool enet_listen(void *self, uint16_t port) { return enet_open(self, port); }

// Finds the address of a machine. Names are looked up only for the user: an address that came in a
// packet must not make this machine ask strange name servers, and wait for them.
static bool enet_find_address(enet_state *t, const char *host, ENetAddress *address) {
    if (strchr(host, ':'))
        return enet_refuse(t, "'%.100s' is an address of IPv6; ENet needs one of IPv4, or a name",
                           host);
    const int result = t->has_connected ? enet_address_set_host_ip(address, host)
                                        : enet_address_set_host(address, host);
    if (result < 0 || address->host == ENET_HOST_BROADCAST)
        return enet_refuse(t, "no machine with the name or address '%.100s' is found", host);
    return true;
}

static bool enet_connect(void *self, const char *host, uint16_t port, uint32_t *peer) {
    enet_state *t = self;
    ENetAddress address = { .port = port };
    if (!port) return enet_refuse(t, "the port of %.100s is missing: it is 1 to 65,535", host);
    if (!enet_find_address(t, host, &address) || !enet_open(t, 0)) return false;
    ENetPeer *to = enet_host_connect(t->host, &address, CHANNELS, 0);
    if (!to) return enet_refuse(t, "no place is left to connect to %.100s", host);
    enet_peer_timeout(to, 0, NEVER_MS, NEVER_MS);
    *peer = enet_begin_link(t, to, true)->number;
    t->has_connected = true;
    return true;
}

static bool enet_address(void *self, uint32_t peer, char *host, size_t capacity, uint16_t *port) {
    enet_state *t = self;
    const enet_link *link = enet_find_link(t, peer);
    if (!link) return false;
    const ENetAddress *address = &enet_peer_at(t, link)->address;
    *port = address->port;
    return enet_address_get_host_ip(address, host, capacity) == 0;
}

static uint16_t enet_port(void *self) {
    const enet_state *t = self;
    return t->host ? t->host->address.port : 0;
}

static const char *enet_problem(void *self) {
    const enet_state *t = self;
    return t->problem;
}

// ------------------------------------------------------------------ closing
// Lets go of a machine. It still gets what was sent last: why it is refused, or that we leave.
static void enet_forget(void *self, uint32_t peer) {
    enet_state *t = self;
    enet_link *link = enet_find_link(t, peer);
    if (!link) return;
    ENetPeer *to = enet_peer_at(t, link);
    link->is_leaving = true;
    enet_peer_timeout(to, 0, LEAVING_MS, LEAVING_MS);
    enet_peer_disconnect_later(to, 0);
    if (to->state == ENET_PEER_STATE_DISCONNECTED) enet_end_link(link);
}

// True if a machine that answered lately has not acknowledged what was sent last.
static bool enet_is_leaving(const enet_state *t) {
    for (uint32_t i = 0; i < t->desc.peers; ++i) {
        const enet_link *link = &t->links[i];
        const enet_uint32 heard = enet_peer_at(t, link)->lastReceiveTime;
        if (link->is_leaving && ENET_TIME_DIFFERENCE(enet_time_get(), heard) < 2000) return true;
    }
    return false;
}

static void enet_close(void *self) {
    enet_state *t = self;
    const enet_uint32 begin = enet_time_get();
    while (t->host && enet_is_leaving(t) && enet_time_get() - begin < CLOSING_MS) {
        ENetEvent event;
        if (enet_host_service(t->host, &event, 5) < 0) break;
        if (event.type == ENET_EVENT_TYPE_RECEIVE) enet_packet_destroy(event.packet);
        if (event.type == ENET_EVENT_TYPE_DISCONNECT) enet_end_link(enet_link_of(t, event.peer));
    }
    if (t->host) enet_host_flush(t->host);
    if (t->host) enet_host_destroy(t->host);
    for (uint32_t i = 0; i < t->desc.peers; ++i)
        enet_end_link(&t->links[i]);
    enet_deinitialize();
    free(t->links);
    free(t);
}

// The system counts enet_initialize and enet_deinitialize, from any thread.
keel_session_transport keel_enet_transport(const keel_enet_desc *desc) {
    keel_enet_desc d = desc ? *desc : (keel_enet_desc){ 0 };
    if (!d.peers) d.peers = KEEL_SESSION_MAX_PEERS + 4;
    if (!d.peers_per_address) d.peers_per_address = 2;
    enet_state *t = calloc(1, sizeof *t);
    enet_link *links = d.peers <= 4095 ? calloc(d.peers, sizeof *links) : NULL;
    if (!t || !links || enet_initialize() < 0) {
        free(t);
        free(links);
        return (keel_session_transport){ 0 };
    }
    t->desc = d;
    t->links = links;
    t->next_number = 1;
    return (keel_session_transport){ .self = t,
                                     .listen = enet_listen,
                                     .connect = enet_connect,
                                     .send = enet_send,
                                     .receive = enet_receive,
                                     .address = enet_address,
                                     .forget = enet_forget,
                                     .close = enet_close,
                                     .flush = enet_flush,
                                     .port = enet_port,
                                     .problem = enet_problem };
}
#endif
