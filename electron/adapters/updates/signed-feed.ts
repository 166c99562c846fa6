/**
 * The signed list of versions on a web server: `latest-linux.yml` as electron-builder writes it,
 * and `latest-linux.yml.sig` next to it, the Ed25519 signature over its bytes in base64. TLS proves
 * where the list comes from; the signature proves who made it, even if the server is compromised.
 */
import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { table } from '../../../shared/table';
import { urlProblem } from '../../../shared/safe-url';
import { makeFolder } from '../../disk/durable-folder';
import { fillWithChunks } from '../../disk/program-file';
import { asDiskRefusal } from '../../engine/kernel/disk-refusal';
import { HoldfastError } from '../../engine/kernel/errors';
import type { UpdateOffer, UpdateSource } from '../../ports/updates';
import { updatesDir } from './note-there';
import { createUpdateNotes, sweepUpdates } from './update-notes';

const MAX_LIST_BYTES = 64 * 1024;
/** More than any package of this app can have. */
const MAX_FILE_BYTES = 2 * 1024 ** 3;
const LIST_TIMEOUT_MS = 20_000;
/** A download that receives nothing for this long has failed. */
const STALL_MS = 60_000;

const list = z.object({
  version: z.string().max(40),
  /** Lists that electron-builder wrote do not name them: the names of the files do. */
  platform: z.string().max(20).optional(),
  arch: z.string().max(20).optional(),
  files: z
    .array(
      z.object({
        // Only a file name: the list cannot refer to other servers or folders.
        url: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._+-]{0,199}$/),
        sha512: z.string().regex(/^[A-Za-z0-9+/]{86}==$/),
        size: z.number().int().positive().max(MAX_FILE_BYTES),
      }),
    )
    .max(50),
});

const refused = (what: string, cause?: unknown): HoldfastError =>
  new HoldfastError('UPDATE_REFUSED', what, {
    hint: 'Nothing was changed, and the received data was not used.',
    ...(cause === undefined ? {} : { cause }),
  });

const unreachable = (what: string, cause?: unknown): HoldfastError =>
  new HoldfastError('UPDATE_UNREACHABLE', what, {
    hint: 'Nothing was changed. Try again later.',
    retryable: true,
    ...(cause === undefined ? {} : { cause }),
  });

/** The name of the list for a platform, as electron-builder writes it. */
export function listName(platform: string, arch: string): string {
  if (platform === 'win32') return 'latest.yml';
  if (platform === 'darwin') return 'latest-mac.yml';
  return arch === 'x64' ? 'latest-linux.yml' : `latest-linux-${arch}.yml`;
}

interface System {
  readonly platform: string;
  readonly arch: string;
}

/** Words in the names of packages. */
const SYSTEMS = table<Partial<System>>({
  linux: { platform: 'linux' },
  mac: { platform: 'darwin' },
  darwin: { platform: 'darwin' },
  win: { platform: 'win32' },
  win32: { platform: 'win32' },
  x64: { arch: 'x64' },
  x86_64: { arch: 'x64' },
  amd64: { arch: 'x64' },
  arm64: { arch: 'arm64' },
  aarch64: { arch: 'arm64' },
  armv7l: { arch: 'arm' },
  armhf: { arch: 'arm' },
  ia32: { arch: 'ia32' },
  i386: { arch: 'ia32' },
});

/** The system of a package by its name, such as `holdfast_1.0.0_amd64.deb`. Pure. */
function systemOf(name: string): Partial<System> {
  const words = name
    .toLowerCase()
    .replace('x86_64', 'x64')
    .split(/[^a-z0-9]+/);
  return Object.assign({}, ...words.map((word) => SYSTEMS[word] ?? {})) as Partial<System>;
}

/** What is wrong about the system that something is for; undefined if it is this one, or not named. */
function otherThan(
  own: System,
  { platform, arch }: { readonly [K in keyof System]?: string | undefined },
): string | undefined {
  if (platform !== undefined && platform !== own.platform) return platform;
  return arch !== undefined && arch !== own.arch ? arch : undefined;
}

/** An Ed25519 key from its 32 bytes: the prefix is the DER of "this is one". */
function publicKeyOf(base64: string): KeyObject {
  const prefix = Buffer.from('302a300506032b6570032100', 'hex');
  const raw = Buffer.from(base64, 'base64');
  if (raw.length !== 32) throw refused('The public key of updates is not 32 bytes.');
  return createPublicKey({ key: Buffer.concat([prefix, raw]), format: 'der', type: 'spki' });
}

/** What the list offers. @throws UPDATE_REFUSED if the signature was not made with this key */
function readSignedList(
  bytes: Buffer,
  signature: string,
  key: KeyObject,
  own: System & { readonly ending: string },
): UpdateOffer {
  const proof = Buffer.from(signature.trim(), 'base64');
  if (proof.length !== 64 || !verify(null, bytes, key, proof))
    throw refused('The list of versions is not signed with the configured key.');
  let content: unknown;
  try {
    content = parse(bytes.toString('utf8'), { maxAliasCount: 0 });
  } catch (error) {
    throw refused('The list of versions cannot be read.', error);
  }
  const parsed = list.safeParse(content);
  if (!parsed.success) throw refused('The list of versions has an unexpected format.');
  const { version, files } = parsed.data;
  const isFor = (other: string): HoldfastError =>
    refused(
      `The list of versions is for ${other}, but this computer is ${own.platform} ${own.arch}.`,
    );
  // A server could serve the list of another system, whose signature is as good.
  const listedFor = otherThan(own, parsed.data);
  if (listedFor !== undefined) throw isFor(listedFor);
  const fitting = files.filter(({ url }) => url.endsWith(own.ending));
  const found = fitting.find(({ url }) => otherThan(own, systemOf(url)) === undefined);
  const [first] = fitting;
  if (first === undefined) return { version };
  if (found === undefined) throw isFor(otherThan(own, systemOf(first.url)) ?? '');
  return { version, file: { url: found.url, sha512: found.sha512, bytes: found.size } };
}

/** True if the file has exactly this SHA-512, in base64. */
export async function hasHash(file: string, sha512: string): Promise<boolean> {
  const hash = createHash('sha512');
  try {
    for await (const chunk of fs.createReadStream(file)) hash.update(chunk as Buffer);
  } catch {
    return false;
  }
  return hash.digest('base64') === sha512;
}

async function get(url: URL, signal: AbortSignal): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { signal, headers: { 'cache-control': 'no-cache' } });
  } catch (error) {
    throw unreachable('The server with the versions cannot be reached.', error);
  }
  if (response.url !== '' && urlProblem(response.url) !== undefined)
    throw refused('The server with the versions redirects to an address without TLS.');
  if (!response.ok)
    throw unreachable(`The server with the versions responded with ${String(response.status)}.`);
  return response;
}

/** Reads at most `most` bytes, so that a server cannot make us use more memory. */
async function bytesOf(response: Response, most: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > most) throw refused('The list of versions is too long.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const within = (feed: string, name: string): URL =>
  new URL(name, feed.endsWith('/') ? feed : `${feed}/`);

export function createUpdateSource(options: {
  readonly dataDir: string;
  readonly platform: string;
  readonly arch: string;
  /** The end of the name of the file for this installation. */
  readonly ending: string;
}): UpdateSource {
  return {
    async readOffer({ feed, publicKey }) {
      const key = publicKeyOf(publicKey);
      const at = within(feed, listName(options.platform, options.arch));
      const signal = AbortSignal.timeout(LIST_TIMEOUT_MS);
      const bytes = await bytesOf(await get(at, signal), MAX_LIST_BYTES);
      const proof = await get(new URL(`${at.href}.sig`), signal).catch((error: unknown) => {
        throw refused('The list of versions has no signature.', error);
      });
      const signature = (await bytesOf(proof, 1_000)).toString('latin1');
      const { version, file } = readSignedList(bytes, signature, key, options);
      return {
        version,
        ...(file === undefined ? {} : { file: { ...file, url: within(feed, file.url).href } }),
      };
    },
    async download(file, version) {
      const { dataDir } = options;
      const target = path.join(updatesDir(dataDir), `holdfast-${version}${options.ending}`);
      if (await hasHash(target, file.sha512)) return target;
      // The version that is ready stays until this one is complete.
      sweepUpdates(dataDir, createUpdateNotes(dataDir).read()?.artifact);
      try {
        await makeFolder(updatesDir(dataDir), dataDir);
        await fill(target, file);
      } catch (error) {
        throw asDiskRefusal(error);
      }
      return target;
    },
  };
}

/** Deletes what an interrupted download left, because it may be the start of any file. */
async function fill(
  target: string,
  { url, sha512, bytes }: NonNullable<UpdateOffer['file']>,
): Promise<void> {
  const stalled = new AbortController();
  let timer = setTimeout(() => stalled.abort(), STALL_MS);
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    const response = await get(new URL(url), stalled.signal);
    const hash = createHash('sha512');
    let length = 0;
    try {
      for await (const chunk of response.body ?? []) {
        clearTimeout(timer);
        timer = setTimeout(() => stalled.abort(), STALL_MS);
        length += chunk.length;
        if (length > bytes) break;
        hash.update(chunk);
        yield chunk;
      }
    } catch (error) {
      // Errors of the disk are not caught here.
      throw unreachable('The download ended early.', error);
    }
    if (length !== bytes || hash.digest('base64') !== sha512)
      throw refused('The downloaded file is not the one that the signed list names.');
  };
  try {
    await fillWithChunks(target, chunks, 0o700);
  } finally {
    clearTimeout(timer);
  }
}
