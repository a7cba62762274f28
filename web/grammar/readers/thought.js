// The thought before an answer, as grammars and readers of answers see it.

/** The most newlines between a thought and the text of a grammar: chat templates write one or two. */
export const AFTER_THOUGHT = 2;
