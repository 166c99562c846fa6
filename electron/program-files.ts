/**
 * Whether files of this program have gone while it was running: an update or a build replaced them.
 * The loader (`compiled-code.ts`) is bundled apart from the program that it loads: it marks this
 * through the process.
 */
export const isProgramChanged = (): boolean =>
  Reflect.has(globalThis, Symbol.for('holdfast.programChanged'));
