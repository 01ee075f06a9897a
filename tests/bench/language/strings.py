"""Strings: split into words, capitalize and join them, count letters, rotate, compare."""
import sys

TEXT = "the quick brown fox jumps over the lazy dog and then the dog sleeps for now"


def split(text):
    words, start = [], 0
    for i in range(len(text)):
        if text[i] == " ":
            words.append(text[start:i])
            start = i + 1
    words.append(text[start:])
    return words


def count_vowels(text):
    count = 0
    for c in text:
        if c in "aeiou":
            count += 1
    return count


def rotate(c):
    return c if c == " " else chr(97 + (13 + ord(c) - 97) % 26)


def run(size):
    total = 0
    for _ in range(size):
        words = split(TEXT)
        title = " ".join([word[0].upper() + word[1:] for word in words])
        total += count_vowels(title)
        total += len(words) - words.index("dog")
        twice = "".join(map(rotate, "".join(map(rotate, TEXT))))
        total += twice == TEXT
        total += title < TEXT
    return total


print(run(int(sys.argv[1])))
