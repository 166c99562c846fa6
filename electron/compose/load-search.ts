/** The code of search: loaded with the first search, or when the index first takes entries in. W4 */
export { createJournalTexts } from '../adapters/search/journal-texts';
export { openSearchIndex } from '../adapters/search/search-index';
export { decodeAnswer } from '../engine/journal/answer-codec';
export { createIndexing } from '../engine/search/indexing';
export { createSearch, entryMarks } from '../engine/search/search';
