//! Landing: every page is decoded once, in parallel, where its rows will stay.
