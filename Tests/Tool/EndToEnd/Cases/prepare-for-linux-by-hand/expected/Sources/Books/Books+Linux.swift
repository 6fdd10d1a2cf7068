// Written by “modelc prepare-for-linux”: SwiftPM drops a target whose sources are all excluded.
