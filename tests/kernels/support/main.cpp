#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

// TSan's, where a test has none of its own. A fault is TSan's too: doctest's handler would wait without end for a report of a
// race in which it happened. At the end there is no other thread to wait for.
extern "C" const char* __tsan_default_options();
extern "C" [[gnu::weak]] const char* __tsan_default_options()
{
    return "handle_segv=2:handle_sigbus=2:atexit_sleep_ms=0";
}
