"""The signals that a VCD declares. Imported by the tests of waves."""


def signals(lines, separator="."):
    """Codes of the signals by their full names. Takes the lines of the declarations from an iterator; those of the values follow."""
    scopes, codes = [], {}
    for line in lines:
        words = line.split()
        if line.startswith("$scope"):
            scopes.append(words[2])
        elif line.startswith("$upscope"):
            scopes.pop()
        elif line.startswith("$var"):
            codes[separator.join([*scopes, words[4]])] = words[3]
        elif line.startswith("$enddefinitions"):
            break
    return codes
