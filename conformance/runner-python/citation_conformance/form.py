"""What the rules of all channels are written with."""


def fault(rule, expected, came):
    return {"rule": rule, "expected": str(expected), "came": str(came)}


def position(claim):
    """The position of a claim as text, as it stands in the brackets."""
    value = claim.get("position")
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def number(claim):
    try:
        return int(position(claim))
    except ValueError:
        return None
