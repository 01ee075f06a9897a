"""The table of conversions and their costs, as C++.

    ("float", Value.INTEGER): CONVERTED    =>    {ValueType::Float, CT_INT, CONVERTED},

`lang/primitives/conversions.py` has the table; `dispatch/bind.cpp` and `dispatch/convert.cpp` read
it.
"""

from lambent.lang.primitives import conversions

FILE_NAME = "conversion_costs.h"
_TYPES = {
    "Tensor": "Tensor", "int": "Int", "float": "Float", "Scalar": "Number", "bool": "Bool",
    "str": "String",
}  # fmt: skip


def conversions_source() -> str:
    """The text of conversion_costs.h."""
    lines = [
        f"// {FILE_NAME} - which values a parameter takes, and what each conversion costs.",
        "// Made by conversions_source.py from lang/primitives/conversions.py.",
        "#pragma once",
        "",
        '#include "dispatch/schema.h"',
        "",
        "namespace ct {",
        "",
        f"constexpr int CONVERTED = {conversions.CONVERTED};",
        f"constexpr int UNWRAPPED = {conversions.UNWRAPPED};",
        f"constexpr int WRAPPED = {conversions.WRAPPED};",
        "",
        "struct ConversionCost {",
        "    ValueType parameter;",
        "    ct_kind value;",
        "    int cost;",
        "};",
        "",
        "constexpr ConversionCost CONVERSION_COSTS[] = {",
    ]
    lines += [
        f"    {{ValueType::{_TYPES[parameter]}, {tag}, {cost}}},"
        for (parameter, value), cost in conversions.COSTS.items()
        for tag in value.value
    ]
    return "\n".join([*lines, "};", "", "}  // namespace ct", ""])
