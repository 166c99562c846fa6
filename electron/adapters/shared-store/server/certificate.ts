/**
 * A certificate that the server signs itself: the invitation contains it, so no authority has to
 * vouch for it.
 */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import net from 'node:net';

/** Encodes one ASN.1 value as DER. */
function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const { length } = body;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), body]);
  const bytes = length < 0x100 ? [length] : [length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, 0x80 | bytes.length, ...bytes]), body]);
}
const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);
/** Object identifiers, encoded. */
const COMMON_NAME = Buffer.from('0603550403', 'hex');
const ECDSA_WITH_SHA256 = sequence(Buffer.from('06082a8648ce3d040302', 'hex'));
const ALTERNATIVE_NAMES = Buffer.from('0603551d11', 'hex');
const BASIC_CONSTRAINTS = Buffer.from('0603551d13', 'hex');
const TRUE = Buffer.from('0101ff', 'hex');

const time = (ms: number): Buffer =>
  der(0x18, Buffer.from(`${new Date(ms).toISOString().replace(/[-:T]|\.\d+Z/g, '')}Z`));

function addressBytes(ip: string): Buffer {
  if (net.isIPv4(ip)) return Buffer.from(ip.split('.').map(Number));
  const [head = '', tail = ''] = ip.split('::');
  const words = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const left = words(head);
  const right = ip.includes('::') ? words(tail) : [];
  const zeros = Array<string>(8 - left.length - right.length).fill('0');
  return Buffer.from(
    [...left, ...zeros, ...right].map((word) => word.padStart(4, '0')).join(''),
    'hex',
  );
}

const DAY_MS = 86_400_000;
const GOOD_FOR_DAYS = 3_650;

/** Key and certificate as PEM, for one name or address, valid for ten years. */
export function createCertificate(
  host: string,
  nowMs: number,
): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(
    der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from('Holdfast shared store')))),
  );
  const isAddress = net.isIP(host) !== 0;
  const alternative = sequence(
    isAddress ? der(0x87, addressBytes(host)) : der(0x82, Buffer.from(host)),
  );
  const extensions = sequence(
    sequence(BASIC_CONSTRAINTS, TRUE, der(0x04, sequence(TRUE))),
    sequence(ALTERNATIVE_NAMES, der(0x04, alternative)),
  );
  // The first bit is the number's sign, the second makes its length unambiguous.
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))), // Version 3.
    der(0x02, serial),
    ECDSA_WITH_SHA256,
    name,
    // Valid even for a computer whose clock is a day behind.
    sequence(time(nowMs - DAY_MS), time(nowMs + GOOD_FOR_DAYS * DAY_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const signature = sign('sha256', body, privateKey);
  const whole = sequence(
    body,
    ECDSA_WITH_SHA256,
    der(0x03, Buffer.concat([Buffer.from([0]), signature])),
  );
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  };
}
