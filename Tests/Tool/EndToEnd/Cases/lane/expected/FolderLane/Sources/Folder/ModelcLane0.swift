// This target is never empty, even if all of its other sources are compiled as copies.
