/**
 * The parts that `--only=first,tray` names, in the order of `names`; all without it. A name that is
 * not one of them is refused with the list: else it would take no picture and say nothing. Pure.
 */
export function chosenParts<N extends string>(
  names: readonly N[],
  args: readonly string[],
): readonly N[] {
  const only = args.find((one) => one.startsWith('--only'));
  if (only === undefined) return names;
  const wanted = only
    .slice('--only='.length)
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
  const unknown = wanted.filter((one) => !names.some((name) => name === one));
  if (wanted.length === 0 || unknown.length > 0) {
    const what = unknown.length === 0 ? `${only} names no part` : `No part ${unknown.join(', ')}`;
    throw new Error(`${what}. Use --only= with some of: ${names.join(', ')}`);
  }
  return names.filter((name) => wanted.includes(name));
}
