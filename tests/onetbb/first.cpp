// Makes the precompiled header.
