// The page joins a conversation of its own by POST /page/session.
