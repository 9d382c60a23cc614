/// @file
/// @brief  Puts macros away that are names in these headers: of headers of the system and of other libraries, such as the `I` of
///         <complex.h>, and single letters. Each public header includes this first, and pop_macros.hpp last, which gives them
///         back. tests/names has a list of what headers define.

// Not once: public headers include each other.

#pragma push_macro("A")
#undef A
#pragma push_macro("B")
#undef B
#pragma push_macro("Below")
#undef Below
#pragma push_macro("E")
#undef E
#pragma push_macro("F")
#undef F
#pragma push_macro("I")
#undef I
#pragma push_macro("J")
#undef J
#pragma push_macro("K")
#undef K
#pragma push_macro("N")
#undef N
#pragma push_macro("T")
#undef T
#pragma push_macro("U")
#undef U
#pragma push_macro("W")
#undef W
#pragma push_macro("X")
#undef X
#pragma push_macro("Y")
#undef Y
#pragma push_macro("check")
#undef check
#pragma push_macro("error")
#undef error
#pragma push_macro("index")
#undef index
#pragma push_macro("length")
#undef length
#pragma push_macro("max")
#undef max
#pragma push_macro("min")
#undef min
#pragma push_macro("near")
#undef near
#pragma push_macro("slots")
#undef slots
#pragma push_macro("small")
#undef small
