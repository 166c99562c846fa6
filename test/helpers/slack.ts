/**
 * Upper bounds in tests say "it did not wait for the thing it must not wait for", never how fast
 * something is: figures belong to the bench. A busy machine may take this many times as long.
 */
export const SLACK = 10;
