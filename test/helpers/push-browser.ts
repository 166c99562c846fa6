import { createDecipheriv, createECDH, createHmac, randomBytes } from 'node:crypto';

/** A browser with keys of its own, which reads what is pushed to it. RFC 8291 */
export function createPushBrowser() {
  const own = createECDH('prime256v1');
  own.generateKeys();
  const auth = randomBytes(16);
  const hkdf = (salt: Buffer, key: Buffer, info: Buffer, length: number): Buffer =>
    createHmac('sha256', createHmac('sha256', salt).update(key).digest())
      .update(Buffer.concat([info, Buffer.from([1])]))
      .digest()
      .subarray(0, length);
  return {
    keys: { p256dh: own.getPublicKey('base64url'), auth: auth.toString('base64url') },
    read(bytes: Buffer): Record<string, unknown> {
      const salt = bytes.subarray(0, 16);
      const idLength = bytes[20] ?? 0;
      const sender = bytes.subarray(21, 21 + idLength);
      const sealed = bytes.subarray(21 + idLength);
      const info = Buffer.concat([Buffer.from('WebPush: info\0'), own.getPublicKey(), sender]);
      const key = hkdf(auth, own.computeSecret(sender), info, 32);
      const aes = hkdf(salt, key, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
      const nonce = hkdf(salt, key, Buffer.from('Content-Encoding: nonce\0'), 12);
      const decipher = createDecipheriv('aes-128-gcm', aes, nonce);
      decipher.setAuthTag(sealed.subarray(-16));
      const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
      return JSON.parse(plain.subarray(0, plain.lastIndexOf(2)).toString()) as Record<
        string,
        unknown
      >;
    },
  };
}
