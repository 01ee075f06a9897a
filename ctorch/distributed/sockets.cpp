// sockets.cpp - whether other processes live, and the end of connections.
//
// Each rank listens at a port where nobody is served.  The kernel closes it when the process ends,
// however that happens, so a refused connection says that the rank is lost.

#ifdef CT_GLOO

#include "distributed/group.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace {

using ct::Failure;
using ct::distributed::Answer;
using ct::distributed::Milliseconds;
using ct::distributed::Place;
using ct::distributed::Socket;

constexpr int WAITING = 4096;  // connections that nobody accepts

constexpr char NAMES_RANK_0[] = "MASTER_ADDR or :address names the machine of rank 0";

[[noreturn]] void fail_to_find(const std::string &address, int status)
{
    throw Failure{"cannot find the address " + address + " of rank 0: " + gai_strerror(status),
                  NAMES_RANK_0};
}

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Addresses addresses_of(const Place &place, int type)
{
    addrinfo wanted{}, *found = nullptr;
    wanted.ai_family = AF_UNSPEC;
    wanted.ai_socktype = type;
    int status = getaddrinfo(place.address.c_str(), std::to_string(place.port).c_str(), &wanted, &found);
    if (status != 0) fail_to_find(place.address, status);
    return {found, freeaddrinfo};
}

Socket open_socket(int family, int type)
{
    return Socket(socket(family, type | SOCK_CLOEXEC, 0));
}

// Whether a socket is connected with itself: the kernel had given it the port that it looks for.
bool is_own_peer(const Socket &s)
{
    sockaddr_storage here{}, there{};
    auto *at_here = reinterpret_cast<sockaddr *>(&here), *at_there = reinterpret_cast<sockaddr *>(&there);
    socklen_t size = sizeof here, size_there = sizeof there;
    return getsockname(s.descriptor(), at_here, &size) == 0 &&
           getpeername(s.descriptor(), at_there, &size_there) == 0 && size == size_there &&
           std::memcmp(&here, &there, size) == 0;
}

Answer answer_for(const Socket &s, int error)
{
    if (error == 0) return is_own_peer(s) ? Answer::REFUSAL : Answer::LISTENS;
    return error == ECONNREFUSED ? Answer::REFUSAL : Answer::SILENCE;
}

Answer answer_at(const addrinfo &there, Milliseconds moment)
{
    Socket s = open_socket(there.ai_family, SOCK_STREAM | SOCK_NONBLOCK);
    if (s.descriptor() < 0) return Answer::SILENCE;
    if (connect(s.descriptor(), there.ai_addr, there.ai_addrlen) == 0) return answer_for(s, 0);
    if (errno != EINPROGRESS) return answer_for(s, errno);
    pollfd waiting{s.descriptor(), POLLOUT, 0};
    if (poll(&waiting, 1, static_cast<int>(moment.count())) <= 0) return Answer::SILENCE;
    int error = 0;
    socklen_t size = sizeof error;
    if (getsockopt(s.descriptor(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) return Answer::SILENCE;
    return answer_for(s, error);
}

int port_of(const sockaddr_storage &address)
{
    if (address.ss_family == AF_INET)
        return ntohs(reinterpret_cast<const sockaddr_in &>(address).sin_port);
    if (address.ss_family == AF_INET6)
        return ntohs(reinterpret_cast<const sockaddr_in6 &>(address).sin6_port);
    return 0;
}

// The ports of both ends of a connection; zeros for what is not a connection.
std::pair<int, int> ports_of(int descriptor)
{
    sockaddr_storage here{}, there{};
    socklen_t size = sizeof there;
    if (getpeername(descriptor, reinterpret_cast<sockaddr *>(&there), &size) != 0) return {};
    size = sizeof here;
    if (getsockname(descriptor, reinterpret_cast<sockaddr *>(&here), &size) != 0) return {};
    return {port_of(here), port_of(there)};
}

}  // namespace

namespace ct::distributed {

Socket &Socket::operator=(Socket &&other) noexcept
{
    std::swap(descriptor_, other.descriptor_);
    return *this;
}

Socket::~Socket()
{
    if (descriptor_ >= 0) close(descriptor_);
}

std::future<int> look_up(const std::string &address)
{
    std::promise<int> answer;
    std::future<int> status = answer.get_future();
    std::thread([address, answer = std::move(answer)]() mutable {
        addrinfo *found = nullptr;
        int status = getaddrinfo(address.c_str(), nullptr, nullptr, &found);
        if (status == 0) freeaddrinfo(found);
        answer.set_value(status);
    }).detach();
    return status;
}

bool may_be_found_later(const std::string &address, int status)
{
    if (status != EAI_AGAIN) fail_to_find(address, status);
    return true;
}

std::string lookup_text(int status) { return gai_strerror(status); }

Answer answer_of(const Place &place, Milliseconds moment)
{
    Addresses found = addresses_of(place, SOCK_STREAM);
    Answer best = Answer::SILENCE;
    for (const addrinfo *there = found.get(); there; there = there->ai_next)
        best = std::max(best, answer_at(*there, moment));
    return best;
}

bool listens(const Place &place, Milliseconds moment)
{
    return answer_of(place, moment) == Answer::LISTENS;
}

// A datagram socket finds the way, and sends nothing.
std::string address_towards(const Place &place)
{
    Addresses found = addresses_of(place, SOCK_DGRAM);
    for (const addrinfo *there = found.get(); there; there = there->ai_next) {
        Socket s = open_socket(there->ai_family, SOCK_DGRAM);
        if (connect(s.descriptor(), there->ai_addr, there->ai_addrlen) != 0) continue;
        sockaddr_storage here{};
        socklen_t size = sizeof here;
        char text[NI_MAXHOST];
        if (getsockname(s.descriptor(), reinterpret_cast<sockaddr *>(&here), &size) == 0 &&
            getnameinfo(reinterpret_cast<sockaddr *>(&here), size, text, sizeof text, nullptr, 0,
                        NI_NUMERICHOST) == 0)
            return text;
    }
    throw Failure{"this machine has no connection to " + place.address,
                  NAMES_RANK_0};
}

Socket life_sign(Place &place)
{
    Addresses found = addresses_of({place.address, 0}, SOCK_STREAM);
    Socket s = open_socket(found->ai_family, SOCK_STREAM);
    sockaddr_storage here{};
    socklen_t size = sizeof here;
    if (bind(s.descriptor(), found->ai_addr, found->ai_addrlen) != 0 ||
        listen(s.descriptor(), WAITING) != 0 ||
        getsockname(s.descriptor(), reinterpret_cast<sockaddr *>(&here), &size) != 0)
        throw Failure{"cannot listen at " + place.address + ": " + std::strerror(errno), ""};
    place.port = port_of(here);
    fcntl(s.descriptor(), F_SETFL, O_NONBLOCK);
    return s;
}

void forget_visitors(const Socket &life)
{
    if (life.descriptor() < 0) return;
    for (;;) {
        Socket visitor(accept(life.descriptor(), nullptr, nullptr));
        if (visitor.descriptor() < 0) return;
    }
}

bool block_broken_pipes()
{
    sigset_t pipes, before;
    sigemptyset(&pipes);
    sigaddset(&pipes, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipes, &before);
    return sigismember(&before, SIGPIPE) == 1;
}

void allow_broken_pipes()
{
    sigset_t pipes;
    sigemptyset(&pipes);
    sigaddset(&pipes, SIGPIPE);
    const timespec now{};
    sigtimedwait(&pipes, nullptr, &now);
    pthread_sigmask(SIG_UNBLOCK, &pipes, nullptr);
}

std::vector<int> connections_without(int port)
{
    std::vector<int> found;
    DIR *folder = opendir("/proc/self/fd");
    if (!folder) return found;
    while (dirent *entry = readdir(folder)) {
        int descriptor = std::atoi(entry->d_name);
        auto [here, there] = ports_of(descriptor);
        if (here && there && here != port && there != port) found.push_back(descriptor);
    }
    closedir(folder);
    return found;
}

}  // namespace ct::distributed

#endif  // CT_GLOO
