/**
 * Whether files of this program have gone while it was running: an update or a build replaced them.
 * The loader (`compiled-code.ts`) is bundled apart from the program that it loads, so both share
 * this through the process.
 */
const CHANGED = Symbol.for('holdfast.programChanged');

export const markProgramChanged = (): void => {
  Reflect.set(globalThis, CHANGED, true);
};

export const isProgramChanged = (): boolean => Reflect.has(globalThis, CHANGED);
