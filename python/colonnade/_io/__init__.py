"""Where bytes come from and where they go: paths, descriptors, streams, connections; progress and threads."""
