# Spends a second in inner(), called by middle(), called by outer().
import time


def inner(n):
    s = 0
    for i in range(n):
        s = (s * 31 + i) % 1000003
    return s


def middle(n):
    return inner(n) + inner(n + 1)


def outer(n):
    return sum(middle(n) for _ in range(5))


end, x = time.time() + 1, 0
while time.time() < end:
    x += outer(2000)
print(x)
