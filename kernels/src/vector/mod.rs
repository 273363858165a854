//! Elementary functions of doubles, over blocks of lanes.
