"""Records of floats: points that attract each other, each step with new records."""
import math
import sys


class Point:
    __slots__ = ("x", "y", "z")

    def __init__(self, x, y, z):
        self.x, self.y, self.z = x, y, z


class Body:
    __slots__ = ("mass", "place", "speed")

    def __init__(self, place, speed, mass):
        self.place, self.speed, self.mass = place, speed, mass


def add(a, b):
    return Point(a.x + b.x, a.y + b.y, a.z + b.z)


def subtract(a, b):
    return Point(a.x - b.x, a.y - b.y, a.z - b.z)


def scale(k, a):
    return Point(k * a.x, k * a.y, k * a.z)


def square(a):
    return a.x * a.x + a.y * a.y + a.z * a.z


def pull(body, others):
    total = Point(0.0, 0.0, 0.0)
    for other in others:
        way = subtract(other.place, body.place)
        distance = square(way) + 0.01
        total = add(total, scale(other.mass / (distance * math.sqrt(distance)), way))
    return total


def move(body, bodies, step):
    speed = add(body.speed, scale(step, pull(body, bodies)))
    return Body(add(body.place, scale(step, speed)), speed, body.mass)


def run(size):
    bodies = [
        Body(Point(1.0 * n, 0.5 * n, 3.0 - n), Point(0.0, 0.1, 0.0), 1.0 + 0.1 * n)
        for n in range(10, 0, -1)
    ]
    for _ in range(size):
        bodies = [move(body, bodies, 0.01) for body in bodies]
    return round(1000.0 * square(bodies[0].place))


print(run(int(sys.argv[1])))
