"""Doubles in objects: the sun and its four large planets attract each other."""

import math
import sys

SOLAR_MASS = 4.0 * 3.141592653589793 * 3.141592653589793
YEAR = 365.24


class Body:
    __slots__ = ("mass", "vx", "vy", "vz", "x", "y", "z")

    def __init__(self, x, y, z, vx, vy, vz, mass) -> None:
        self.x, self.y, self.z = x, y, z
        self.vx, self.vy, self.vz = vx * YEAR, vy * YEAR, vz * YEAR
        self.mass = mass * SOLAR_MASS


BODIES = [
    Body(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0),
    Body(4.84143144246472, -1.16032004402743, -0.103622044471123,
         0.00166007664274404, 0.00769901118419740, -0.0000690460016972063,
         0.000954791938424327),
    Body(8.34336671824458, 4.12479856412430, -0.403523417114321,
         -0.00276742510726411, 0.00499852801234917, 0.0000230417297573763,
         0.000285885980666131),
    Body(12.8943695621391, -15.1111514016986, -0.223307578892656,
         0.00296460137564762, 0.00237847173959481, -0.0000296589568540238,
         0.0000436624404335156),
    Body(15.3796971148509, -25.9193146099880, 0.179258772950372,
         0.00268067772490389, 0.00162824170038242, -0.0000951592254519716,
         0.0000515138902046611),
]  # fmt: skip
PAIRS = [(a, b) for i, a in enumerate(BODIES) for b in BODIES[i + 1 :]]


def advance(dt: float) -> None:
    for a, b in PAIRS:
        dx = a.x - b.x
        dy = a.y - b.y
        dz = a.z - b.z
        square = dx * dx + dy * dy + dz * dz
        force = dt / (square * math.sqrt(square))
        factor = 0.0 - b.mass * force
        a.vx += dx * factor
        a.vy += dy * factor
        a.vz += dz * factor
        factor = a.mass * force
        b.vx += dx * factor
        b.vy += dy * factor
        b.vz += dz * factor
    for a in BODIES:
        a.x += dt * a.vx
        a.y += dt * a.vy
        a.z += dt * a.vz


for _ in range(int(sys.argv[1])):
    advance(0.01)
total = 0.0
for a in BODIES:
    total += 0.5 * a.mass * (a.vx * a.vx + a.vy * a.vy + a.vz * a.vz)
print(round(1e9 * total))
