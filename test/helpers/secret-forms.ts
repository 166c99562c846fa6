/** How a secret may be written, so that whoever has that still knows the secret. */

const base64 = (text: string | Buffer): string => Buffer.from(text).toString('base64');
const hex = (text: string): string => Buffer.from(text).toString('hex');
const bytes = (text: string): string[] => hex(text).match(/../g) ?? [];
const units = (text: string): number[] => text.split('').map((char) => char.charCodeAt(0));
const u = (text: string): string =>
  units(text)
    .map((code) => `\\u${code.toString(16).padStart(4, '0')}`)
    .join('');

/** By the name of each form, what makes it of a text. */
export const SECRET_FORMS: Readonly<Record<string, (secret: string) => string>> = {
  plain: (s) => s,
  'upper case': (s) => s.toUpperCase(),
  'lower case': (s) => s.toLowerCase(),
  reversed: (s) => Array.from(s).reverse().join(''),
  spaced: (s) => Array.from(s).join(' '),
  'with dots': (s) => Array.from(s).join('.'),
  'on two lines': (s) => `${s.slice(0, 9)}\n${s.slice(9)}`,
  'on many lines with a margin': (s) => (s.match(/.{1,6}/gs) ?? []).join('\r\n   | '),
  'with zero width': (s) => Array.from(s).join('\u200b'),
  'as a list of pieces': (s) => JSON.stringify(s.match(/.{1,5}/gs)),
  'put together by a program': (s) => (s.match(/.{1,4}/gs) ?? []).join("' + '"),
  'full width': (s) =>
    s.replace(/[!-~]/g, (char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0)),
  base64,
  'base64, one before': (s) => base64(`x${s}yz`),
  'base64, two before': (s) => base64(`xy${s}z`),
  'base64 of a login': (s) => base64(`user:${s}`),
  'base64 without padding': (s) => base64(`q${s}`).replace(/=+$/, ''),
  'base64 of URLs': (s) => Buffer.from(`??>${s}`).toString('base64url'),
  'base64 in lines': (s) => (base64(`hello ${s} world`).match(/.{1,20}/g) ?? []).join('\n'),
  'base64 of upper case': (s) => base64(s.toUpperCase()),
  'base64 of UTF-16': (s) => base64(Buffer.from(s, 'utf16le')),
  'base64 escaped for a URL': (s) => encodeURIComponent(base64(s)),
  'base64 in part': (s) => base64(`ab${s}`).slice(0, 24),
  hex,
  HEX: (s) => hex(s).toUpperCase(),
  'hex with colons': (s) => bytes(s).join(':'),
  'hex with spaces': (s) => bytes(s).join(' '),
  'hex with 0x': (s) =>
    bytes(s)
      .map((one) => `0x${one}`)
      .join(', '),
  'hex with \\x': (s) =>
    bytes(s)
      .map((one) => `\\x${one}`)
      .join(''),
  percent: (s) =>
    bytes(s)
      .map((one) => `%${one}`)
      .join(''),
  'percent, as URLs have it': encodeURIComponent,
  'percent twice': (s) =>
    encodeURIComponent(
      bytes(s)
        .map((one) => `%${one.toUpperCase()}`)
        .join(''),
    ),
  '\\u': u,
  '\\u in JSON': (s) => JSON.stringify(u(s)),
  '\\u{}': (s) =>
    Array.from(s)
      .map((char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`)
      .join(''),
  octal: (s) =>
    bytes(s)
      .map((one) => `\\${parseInt(one, 16).toString(8).padStart(3, '0')}`)
      .join(''),
  decimal: (s) =>
    bytes(s)
      .map((one) => String(parseInt(one, 16)))
      .join(', '),
  entities: (s) =>
    units(s)
      .map((code) => `&#${String(code)};`)
      .join(''),
  'hex entities': (s) =>
    units(s)
      .map((code) => `&#x${code.toString(16)};`)
      .join(''),
  'quoted-printable': (s) =>
    bytes(s)
      .map((one) => `=${one.toUpperCase()}`)
      .join(''),
  'quoted-printable in lines': (s) => (s.match(/.{1,7}/gs) ?? []).join('=\n'),
  'JSON in JSON': (s) => JSON.stringify(JSON.stringify({ a: s })),
};
