import fc from 'fast-check';

/**
 * Any character but a lone surrogate, half of them ASCII, with what means something in texts. The
 * generator of `unit: 'binary'` takes a second to make, this one nothing.
 */
export const anyCharacter = fc
  .oneof(fc.nat(0x7f), fc.nat(0x10ffff - 0x800))
  .map((n) => String.fromCodePoint(n < 0xd800 ? n : n + 0x800));
