/** The entry of the built program for plain Node: the copy that `build/setup/vitest-built.mjs` made. */
export function builtProgram(): string {
  const entry = process.env['HOLDFAST_TEST_PROGRAM'];
  if (entry === undefined) throw new Error('The suite of this test does not build the program.');
  return entry;
}
