// npm run package [-- --allow-fallback-runtime] [--targets deb,AppImage] [--try]
// Builds the app for this system into out/: the unpacked app and what people install, with a list of its
// parts (CycloneDX) and SHA256SUMS; checks what came out: fuses read back, what the archive holds, and
// whether it runs. --try then installs, starts, upgrades and removes it as a person would, in a copy of
// this system that is thrown away (build/try-package.mjs).
import { createHash } from 'node:crypto';
import {
  createReadStream,
  existsSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { asScript, ensureElectron, SetupStop } from './ensure.mjs';
import { mayBePacked } from './setup/archive.mjs';
import { ensureBuilt, ensureCompiledFor } from './setup/build.mjs';
import { decidePackaging } from './setup/decide.mjs';
import { refuseWrongFuses } from './setup/fuses.mjs';
import { ownAppImageTools, stageLinuxFiles } from './setup/linux-files.mjs';
import { cacheDir, inProject, missingPrograms, onPath, outputOf, say } from './setup/machine.mjs';
import { makeBom } from './setup/sbom.mjs';
import { packFolder } from './setup/pack-folder.mjs';
import { smokeTest } from './setup/smoke.mjs';
import { tryPackages } from './try-package.mjs';

const require = createRequire(import.meta.url);
const { platform, arch } = process;
const system = platform === 'win32' ? 'win' : platform === 'darwin' ? 'mac' : 'linux';
/** The default targets: the formats that users install on this system. */
const usualTargets = { linux: ['deb', 'AppImage'], win: ['nsis'], mac: ['dmg', 'zip'] }[system];

const manifest = /** @type {{version: string}} */ (
  JSON.parse(readFileSync(inProject('package.json'), 'utf8'))
);
/** The timestamp of everything inside, so that the same sources give the same bytes. */
const sourceSeconds = () => {
  const told = process.env['SOURCE_DATE_EPOCH'] ?? outputOf('git', ['log', '-1', '--format=%ct']);
  return Number(told.trim()) || 315_532_800;
};

/** The native files that this system needs: compiled here, or those of the package. */
const nativeFiles = () => {
  const folder = 'node_modules/better-sqlite3';
  const compiled = `${folder}/build/Release/better_sqlite3.node`;
  // One app for both kinds of Mac.
  if (system === 'mac')
    return ['x64', 'arm64'].map((one) => `${folder}/prebuilds/darwin-${one}.node`);
  return [
    existsSync(inProject(compiled)) ? compiled : `${folder}/prebuilds/${platform}-${arch}.node`,
  ];
};

/**
 * A new object for every build: electron-builder writes into it. @param
 * {import('./setup/electron.mjs').ElectronRuntime} electron @param {string} version
 */
const configuration = (electron, version) => {
  const base = /** @type {{files: string[], [name: string]: unknown}} */ (
    JSON.parse(readFileSync(inProject('build', 'electron-builder.json'), 'utf8'))
  );
  return {
    ...base,
    files: [...base.files, ...nativeFiles()],
    extraMetadata: { .../** @type {object} */ (base['extraMetadata']), version },
    // An app for Mac contains both kinds of Electron, which electron-builder downloads and joins.
    ...(system === 'mac' ? {} : { electronDist: electron.dist }),
    ...(electron.version === 'unknown' ? {} : { electronVersion: electron.version }),
  };
};

/** The same sources with a lower version number, from which --try upgrades. */
const VERSION_BEFORE = '0.0.9';

/** @param {string} version */
const archiveName = (version) => `holdfast-${version}-linux-${arch}.tar.gz`;

/** @param {string[]} args @param {string} name */
const valueOf = (args, name) => {
  const at = args.indexOf(name);
  return at < 0 ? undefined : (args[at + 1] ?? '');
};

/** Where the parts of an unpacked app lie. */
const unpacked = () => {
  const suffix = arch === 'x64' ? '' : `-${arch}`;
  if (system === 'mac') {
    const dir = inProject('out', 'mac-universal');
    const contents = join(dir, 'Holdfast.app', 'Contents');
    return {
      dir,
      executable: join(contents, 'MacOS', 'Holdfast'),
      resources: join(contents, 'Resources'),
    };
  }
  const dir = inProject('out', `${system}${suffix}-unpacked`);
  const executable = join(dir, system === 'win' ? 'Holdfast.exe' : 'holdfast');
  return { dir, executable, resources: join(dir, 'resources') };
};

/** Checks what is next to and inside the archive. @param {string} resources */
const checkContents = async (resources) => {
  const asar = await import('@electron/asar');
  const files = asar.listPackage(join(resources, 'app.asar'), { isPack: false });
  const wrong = files.filter((file) => !mayBePacked(file));
  if (wrong.length > 0)
    throw new SetupStop(`The archive holds what it should not: ${wrong.slice(0, 5).join(', ')}`);
  const loose = readdirSync(`${join(resources, 'app.asar')}.unpacked`, {
    recursive: true,
    encoding: 'utf8',
  }).filter((name) => statSync(join(`${join(resources, 'app.asar')}.unpacked`, name)).isFile());
  if (loose.length !== nativeFiles().length || loose.some((name) => !name.endsWith('.node'))) {
    throw new SetupStop(
      `Only the native module may lie outside the archive, but there is: ${loose.join(', ')}`,
    );
  }
  if (existsSync(join(resources, 'default_app.asar')))
    throw new SetupStop('default_app.asar was shipped.');
};

/** @param {string} file @returns {Promise<string>} */
const sha256 = async (file) => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
};

/**
 * Where the official tools cannot be fetched, those of this system build an AppImage to try out. @param
 * {import('./setup/electron.mjs').ElectronRuntime} electron
 */
const prepareTools = async (electron) => {
  if (onPath('dpkg-deb') && !process.env['CUSTOM_FPM_PATH'])
    process.env['CUSTOM_FPM_PATH'] = inProject('build', 'fpm-by-dpkg.mjs');
  if (electron.kind !== 'fallback' || process.env['APPIMAGE_TOOLS_PATH']) return;
  const missing = missingPrograms(['cc', 'mksquashfs', 'desktop-file-validate']);
  if (missing.length === 0)
    process.env['APPIMAGE_TOOLS_PATH'] = await ownAppImageTools(join(cacheDir(), 'appimage-tools'));
};

/**
 * Installers need tools that electron-builder downloads; each is tried separately.
 * @param {readonly string[]} targets @param {import('./setup/electron.mjs').ElectronRuntime} electron
 * @param {string} version @returns {Promise<string[]>}
 */
const installers = async (targets, electron, version) => {
  const { Platform, build } = require('electron-builder');
  const made = [];
  for (const target of targets) {
    try {
      const files = await build({
        prepackaged: unpacked().dir,
        config: configuration(electron, version),
        targets: Platform.current().createTarget([target]),
      });
      made.push(...files.filter((/** @type {string} */ file) => statSync(file).isFile()));
    } catch (error) {
      process.exitCode = 1;
      say(`${target} could not be built here: ${/** @type {Error} */ (error).message}`);
    }
  }
  return made;
};

/**
 * The app of one version: unpacked, checked, and run once.
 * @param {import('./setup/electron.mjs').ElectronRuntime} electron @param {string} version
 */
const packApp = async (electron, version) => {
  const { dir, executable, resources } = unpacked();
  rmSync(dir, { recursive: true, force: true });
  say(`Packaging Holdfast ${version} with Electron ${electron.version} (${electron.kind})…`);
  const { build } = require('electron-builder');
  await build({
    dir: true,
    ...(system === 'mac' ? { universal: true } : {}),
    config: configuration(electron, version),
  });
  await refuseWrongFuses(executable, platform);
  say('Fuses read back from the executable: as they should be (F1).');
  await checkContents(resources);
  await smokeTest(executable, version);
  if (platform === 'linux') stageLinuxFiles({ executable, version, seconds: sourceSeconds() });
};

/** @param {readonly string[]} files */
const writeSums = async (files) => {
  const lines = [];
  for (const file of files.toSorted()) {
    const sum = await sha256(file);
    lines.push(`${sum}  ${basename(file)}\n`);
    say(`${file}  ${(statSync(file).size / 1e6).toFixed(1)} MB  sha256 ${sum}`);
  }
  writeFileSync(inProject('out', 'SHA256SUMS'), lines.join(''));
};

await asScript(async () => {
  const args = process.argv.slice(2);
  const electron = await ensureElectron();
  const decision = decidePackaging({
    kind: electron.kind,
    version: electron.version,
    isFallbackAllowed: args.includes('--allow-fallback-runtime'),
  });
  if (decision.kind === 'stop') throw new SetupStop(decision.line);
  const seconds = sourceSeconds();
  process.env['SOURCE_DATE_EPOCH'] = String(seconds);
  await ensureBuilt('app', { force: true });
  await ensureCompiledFor(electron.executable);
  await prepareTools(electron);
  const isTried = args.includes('--try');
  const targets = valueOf(args, '--targets')?.split(',').filter(Boolean) ?? usualTargets;
  const { version } = manifest;
  /** @param {string} name */
  const pack = (name) =>
    packFolder({ dir: unpacked().dir, version: name, seconds, name: archiveName(name) });

  let before;
  if (isTried) {
    await packApp(electron, VERSION_BEFORE);
    [before] = await installers(['deb'], electron, VERSION_BEFORE);
  }
  await packApp(electron, version);
  const files = await installers(targets, electron, version);
  // Comes last, because it adds man page and completions next to the app; the other formats have
  // their own places for them.
  if (platform === 'linux') files.unshift(await pack(version));
  const bom = inProject('out', `holdfast-${version}.cdx.json`);
  writeFileSync(
    bom,
    `${JSON.stringify(makeBom({ seconds, electron: electron.version }), null, 2)}\n`,
  );
  files.push(bom);
  await writeSums(files);
  say(`Ships Electron ${electron.version} (${electron.kind}).`);
  if (isTried) {
    const first = await sha256(files[0] ?? '');
    await packApp(electron, version);
    if ((await sha256(await pack(version))) !== first)
      throw new SetupStop('Packing the same sources twice gave two different archives.');
    say('Packed twice: the same bytes.');
    await tryPackages({ files, before, version, versionBefore: VERSION_BEFORE });
  }
});
