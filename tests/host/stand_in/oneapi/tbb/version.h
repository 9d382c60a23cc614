// Which oneTBB the stand-in has the interface of.
#pragma once

#define TBB_VERSION_MAJOR 2021
