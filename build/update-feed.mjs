// npm run package:feed -- --key KEY.pem [FOLDER]: the signed list of versions for a web server. It
// writes latest-linux.yml (or the name of another platform) over the packages in FOLDER (default:
// out) and its Ed25519 signature next to it. --new-key KEY.pem makes a key, and prints what goes
// into updates.public_key.
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
} from 'node:crypto';
import { createReadStream, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { asScript } from './ensure.mjs';
import { SetupStop, inProject, say } from './setup/machine.mjs';

const PACKAGES = /^[A-Za-z0-9][A-Za-z0-9._+-]*\.(AppImage|deb|tar\.gz|dmg|zip|exe)$/;
/** @param {string} arch */
const linuxName = (arch) => (arch === 'x64' ? 'latest-linux.yml' : `latest-linux-${arch}.yml`);
const NAMES = {
  darwin: 'latest-mac.yml',
  win32: 'latest.yml',
};

/** @param {import('node:crypto').KeyObject} key */
const shownKey = (key) =>
  createPublicKey(key.export({ format: 'pem', type: 'pkcs8' }))
    .export({ format: 'der', type: 'spki' })
    .subarray(-32)
    .toString('base64');

/** @param {string} file */
const hashOf = async (file) => {
  const hash = createHash('sha512');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('base64');
};

await asScript(async () => {
  const { values, positionals } = parseArgs({
    options: {
      key: { type: 'string' },
      'new-key': { type: 'string' },
      version: { type: 'string' },
      platform: { type: 'string', default: process.platform },
      arch: { type: 'string', default: process.arch },
    },
    allowPositionals: true,
  });
  const made = values['new-key'];
  if (made !== undefined) {
    const { privateKey } = generateKeyPairSync('ed25519');
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' });
    writeFileSync(made, pem, { mode: 0o600, flag: 'wx' });
    say(`The private key is in ${made}: keep it off the web server. Public key:`);
    process.stdout.write(`${shownKey(privateKey)}\n`);
    return;
  }
  if (values.key === undefined) throw new SetupStop('usage: --key KEY.pem [FOLDER]');
  const key = createPrivateKey(readFileSync(values.key, 'utf8'));
  if (key.asymmetricKeyType !== 'ed25519') throw new SetupStop('The key is no Ed25519 key.');
  const folder = positionals[0] ?? inProject('out');
  const { version } = JSON.parse(readFileSync(inProject('package.json'), 'utf8'));
  const { platform, arch } = values;
  // The lists of the other systems are for all architectures: there the names of the packages say it.
  const isLinux = !(platform in NAMES);
  const lines = [`version: ${values.version ?? version}`, `platform: ${platform}`];
  if (isLinux) lines.push(`arch: ${arch}`);
  lines.push('files:');
  const names = readdirSync(folder).filter((name) => PACKAGES.test(name));
  if (names.length === 0) throw new SetupStop(`There are no packages in ${folder}.`);
  for (const name of names.toSorted()) {
    const file = join(folder, name);
    lines.push(`  - url: ${name}`, `    sha512: ${await hashOf(file)}`);
    lines.push(`    size: ${String(statSync(file).size)}`);
  }
  lines.push(`releaseDate: '${new Date().toISOString()}'`, '');
  const other = /** @type {keyof typeof NAMES} */ (platform);
  const list = join(folder, isLinux ? linuxName(arch) : NAMES[other]);
  const bytes = Buffer.from(lines.join('\n'));
  writeFileSync(list, bytes);
  writeFileSync(`${list}.sig`, `${sign(null, bytes, key).toString('base64')}\n`);
  say(`${list} names ${String(names.length)} packages; its signature is beside it.`);
});
