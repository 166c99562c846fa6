/**
 * Syntax highlighting, loaded when code is first shown. Until then, or if it fails to load, code is
 * plain.
 */
import { useSyncExternalStore } from 'react';
import './code-color.css';

export type CodeRole = 'keyword' | 'string' | 'comment' | 'value' | 'name';

/** A part of a line, shown with the class `code-{role}`. */
export interface CodePiece {
  readonly text: string;
  readonly role?: CodeRole;
}

export interface CodeColor {
  /** The language of a file by its name or path; undefined if there is no grammar for it. */
  readonly languageOf: (path: string) => string | undefined;
  /** `language` may be a name or an alias (`ts`); an unknown one gives plain pieces. */
  readonly linesOf: (
    code: string,
    language: string | undefined,
  ) => readonly (readonly CodePiece[])[];
}

let loaded: CodeColor | undefined;
let isLoading = false;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (!isLoading) {
    isLoading = true;
    import('./code-color').then(
      (module) => {
        loaded = module.codeColor;
        for (const each of listeners) each();
      },
      // The file is part of the app; if it cannot be read, code stays plain.
      () => undefined,
    );
  }
  return () => listeners.delete(listener);
}

/** Undefined until the grammars are loaded. */
export const useCodeColor = (): CodeColor | undefined =>
  useSyncExternalStore(subscribe, () => loaded);
