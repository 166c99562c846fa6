// npm run package [-- --allow-fallback-runtime] [--targets deb,AppImage] [--no-archive]
// Builds the app for this system into out/: the unpacked app and, on Linux, a tar.gz of it; then
// checks what came out: fuses read back, what the archive holds, and whether it runs.
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { asScript, ensureElectron, SetupStop } from './ensure.mjs';
import { mayBePacked } from './setup/archive.mjs';
import { ensureBuilt } from './setup/build.mjs';
import { decidePackaging } from './setup/decide.mjs';
import { refuseWrongFuses } from './setup/fuses.mjs';
import { inProject, onPath, run, say, tail } from './setup/machine.mjs';
import { smokeTest } from './setup/smoke.mjs';

const require = createRequire(import.meta.url);
const { platform, arch } = process;
const system = platform === 'win32' ? 'win' : platform === 'darwin' ? 'mac' : 'linux';
const installerNames = { linux: 'AppImage,deb', win: 'nsis', mac: 'dmg' }[system];

const manifest = /** @type {{version: string}} */ (
  JSON.parse(readFileSync(inProject('package.json'), 'utf8'))
);
/** The one native file that this system needs: compiled here, or the package's own. */
const nativeFile = () => {
  const folder = 'node_modules/better-sqlite3';
  const compiled = `${folder}/build/Release/better_sqlite3.node`;
  return existsSync(inProject(compiled))
    ? compiled
    : `${folder}/prebuilds/${platform}-${arch}.node`;
};

/** A new object for every build: electron-builder writes into it. @param {import('./setup/electron.mjs').ElectronRuntime} electron */
const configuration = (electron) => {
  const base = /** @type {{files: string[], [name: string]: unknown}} */ (
    JSON.parse(readFileSync(inProject('build', 'electron-builder.json'), 'utf8'))
  );
  return {
    ...base,
    files: [...base.files, nativeFile()],
    electronDist: electron.dist,
    ...(electron.version === 'unknown' ? {} : { electronVersion: electron.version }),
  };
};

/** @param {string[]} args @param {string} name */
const valueOf = (args, name) => {
  const at = args.indexOf(name);
  return at < 0 ? undefined : (args[at + 1] ?? '');
};

/** Where the parts of an unpacked app lie. */
const unpacked = () => {
  const suffix = arch === 'x64' ? '' : `-${arch}`;
  if (system === 'mac') {
    const dir = inProject('out', `mac${suffix}`);
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
  if (loose.length !== 1 || !loose[0]?.endsWith('.node')) {
    throw new SetupStop(
      `Only the native module may lie outside the archive, but there is: ${loose.join(', ')}`,
    );
  }
  if (existsSync(join(resources, 'default_app.asar')))
    throw new SetupStop('default_app.asar was shipped.');
};

/** @param {string} dir @returns {Promise<string>} the archive */
const archive = async (dir) => {
  const name = `holdfast-${manifest.version}-linux-${arch}.tar.gz`;
  say(`Packing out/${name}…`);
  const rename = `--transform=s,^[^/]*,holdfast-${manifest.version},`;
  const owner = ['--owner=0', '--group=0', '--numeric-owner', '--sort=name'];
  const source = ['-C', inProject('out'), dir.split('/').at(-1) ?? ''];
  const { code, output } = await run('tar', [
    '-czf',
    inProject('out', name),
    ...owner,
    rename,
    ...source,
  ]);
  if (code !== 0) throw new SetupStop(`tar failed:\n${tail(output)}`);
  return inProject('out', name);
};

/** @param {string} file */
const describe = async (file) => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return `${file}  ${(statSync(file).size / 1e6).toFixed(1)} MB  sha256 ${hash.digest('hex')}`;
};

/**
 * Installers need tools that electron-builder downloads; each is tried separately. @param
 * {string[]} targets @param {import('./setup/electron.mjs').ElectronRuntime} electron
 */
const installers = async (targets, electron) => {
  const builder = require('electron-builder');
  if (onPath('dpkg-deb') && !process.env['CUSTOM_FPM_PATH']) {
    process.env['CUSTOM_FPM_PATH'] = inProject('build', 'fpm-by-dpkg.mjs');
  }
  for (const target of targets) {
    try {
      const files = await builder.build({
        prepackaged: unpacked().dir,
        config: configuration(electron),
        [system]: [target],
      });
      for (const file of files) say(await describe(file));
    } catch (error) {
      process.exitCode = 1;
      say(
        `${target} could not be built here: ${/** @type {Error} */ (error).message.split('\n')[0]}`,
      );
    }
  }
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
  await ensureBuilt('app', { force: true });
  const { dir, executable, resources } = unpacked();
  rmSync(dir, { recursive: true, force: true });
  say(
    `Packaging Holdfast ${manifest.version} with Electron ${electron.version} (${electron.kind})…`,
  );
  const { build } = require('electron-builder');
  await build({ dir: true, config: configuration(electron) });

  await refuseWrongFuses(executable, platform);
  say('Fuses read back from the executable: as they should be (F1).');
  await checkContents(resources);
  await smokeTest(executable, manifest.version);

  if (platform === 'linux' && !args.includes('--no-archive'))
    say(await describe(await archive(dir)));
  const wanted = valueOf(args, '--targets');
  if (wanted !== undefined) await installers(wanted.split(',').filter(Boolean), electron);
  else {
    say(
      `Not built: installers, for most of which electron-builder downloads tools: npm run package -- --targets ${installerNames}`,
    );
  }
  say(`Ships Electron ${electron.version} (${electron.kind}).`);
});
