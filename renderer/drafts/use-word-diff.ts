/** Words that differ between two lines, loaded when the first comparison is shown. */
import type { diffWordsWithSpace } from 'diff';
import { useEffect, useState } from 'react';

type DiffWords = typeof diffWordsWithSpace;
let loaded: DiffWords | undefined;

/** Undefined until it is loaded; until then only lines are marked. */
export function useWordDiff(): DiffWords | undefined {
  const [words, setWords] = useState<DiffWords | undefined>(() => loaded);
  useEffect(() => {
    let isGone = false;
    import('diff').then(
      (module) => {
        loaded = module.diffWordsWithSpace;
        if (!isGone) setWords(() => module.diffWordsWithSpace);
      },
      // The file is part of the app; if it cannot be read, lines are marked.
      () => undefined,
    );
    return () => {
      isGone = true;
    };
  }, []);
  return words;
}
