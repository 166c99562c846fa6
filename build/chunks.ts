/**
 * What the built programs consist of: which files are bundled together, and what a build rejects.
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

/**
 * Fails the build if plain Node would have to load Electron: everything that the program can reach,
 * by import or by dynamic import, must run where Electron is not installed.
 */
export const plainNode = (banned: readonly string[]): Plugin => ({
  name: 'holdfast:plain-node',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue;
      for (const next of [...chunk.imports, ...chunk.dynamicImports]) {
        if (banned.some((name) => next === name || next.startsWith(`${name}/`))) {
          this.error(`${chunk.fileName} imports ${next}, but must run without`);
        }
      }
    }
  },
});

/**
 * Leaves the choice of the binary to the installed better-sqlite3. Its other thirteen files are
 * bundled, because finding and reading them one by one takes Node a tenth of a start.
 */
export const bindingOfPackage = (): Plugin => ({
  name: 'holdfast:binding-of-package',
  load(id) {
    if (!id.replaceAll('\\', '/').endsWith('/better-sqlite3/lib/binding.js')) return undefined;
    // Found by its folder, because resolving it by its name would first compile a large expression.
    return `const { createRequire } = require('node:module');
      const { existsSync } = require('node:fs');
      const fromHere = createRequire(__filename);
      exports.getBinding = (given) => {
        const files = (fromHere.resolve.paths('better-sqlite3') ?? []).map(
          (folder) => folder + '/better-sqlite3/lib/binding.js',
        );
        return fromHere(files.find(existsSync) ?? 'better-sqlite3/lib/binding.js').getBinding(given);
      };`;
  },
});

const words = (text: string): string[] => text.split(/\s+/);

/** What main.ts loads until the icon is in the tray, by the names of its chunks. */
const beforeIcon = new Set(
  words(
    `arguments start-arguments launch-arguments errors data-trust lock-record first first-window`,
  ),
);

/** Fails the build if one of them would load what is needed only after the icon. */
export const iconFirst = (): Plugin => ({
  name: 'holdfast:icon-first',
  generateBundle(_options, bundle) {
    const chunks = Object.values(bundle).filter((one) => one.type === 'chunk');
    const late = chunks.find(({ name }) => name === 'start')?.fileName;
    if (late === undefined) this.error('No chunk is called start');
    for (const { name, fileName, imports } of chunks)
      if (beforeIcon.has(name) && imports.includes(late))
        this.error(`${fileName} imports ${late}: all of it would be read before the icon`);
  },
});

/** What a command loads once it knows that nothing runs. */
const WITH_ENGINE = new Set([
  'open-data',
  'reset-data',
  'remove-data',
  'apply-update',
  'data-archive',
]);

/** Fails the build if a command would have to load and run the engine for one of its files. */
export const engineApart = (): Plugin => ({
  name: 'holdfast:engine-apart',
  generateBundle(_options, bundle) {
    const chunks = Object.values(bundle).filter((one) => one.type === 'chunk');
    const files = new Map(chunks.map((one) => [one.fileName, one]));
    const engine = chunks.find(({ name }) => name === 'engine');
    if (engine === undefined) this.error('No chunk is called engine');
    const seen = new Set([engine.fileName]);
    const visit = (fileName: string): void => {
      const chunk = files.get(fileName);
      if (chunk === undefined || seen.has(fileName) || WITH_ENGINE.has(chunk.name)) return;
      seen.add(fileName);
      const next = chunk.moduleIds.flatMap((id) => this.getModuleInfo(id)?.importedIds ?? []);
      const inEngine = next.filter((id) => engine.moduleIds.includes(id));
      if (inEngine.length > 0) this.error(`${chunk.name} is of commands: ${inEngine.join(', ')}`);
      chunk.imports.forEach(visit);
    };
    for (const { fileName, moduleIds } of chunks)
      if (moduleIds.some((id) => /\/electron\/(?:cli|control)\//.test(id))) visit(fileName);
  },
});

/**
 * Fails the build if chunks import each other: one of them would run before what it needs exists.
 */
export const noChunkCycle = (): Plugin => ({
  name: 'holdfast:no-chunk-cycle',
  generateBundle(_options, bundle) {
    const open: string[] = [];
    const done = new Set<string>();
    const visit = (name: string): void => {
      const chunk = bundle[name];
      if (chunk?.type !== 'chunk' || done.has(name)) return;
      if (open.includes(name)) this.error([...open.slice(open.indexOf(name)), name].join(' -> '));
      open.push(name);
      chunk.imports.forEach(visit);
      open.pop();
      done.add(name);
    };
    Object.keys(bundle).forEach(visit);
  },
});

/**
 * Matches these files. If one of them has moved, the build stops; otherwise starts would become
 * slower without a notice.
 */
function filesOf(folder: string, ...names: readonly string[]): RegExp {
  for (const name of names)
    if (!existsSync(fileURLToPath(new URL(`../${folder}/${name}.ts`, import.meta.url))))
      throw new Error(`No ${folder}/${name}.ts to load`);
  return new RegExp(`/${folder}/(${names.join('|')})\\.ts$`);
}
const startFiles = (...names: readonly string[]): RegExp => filesOf('electron', ...names);
const anyOf = (...tests: readonly RegExp[]): RegExp =>
  new RegExp(tests.map(({ source }) => source).join('|'));

/**
 * What every start loads, in a few files instead of forty, because finding and opening a file costs
 * more than reading it. `arguments` and `first` are loaded before the icon is in the tray, `start`
 * and `shell` after it, and then `engine`: what loads a part of the engine later finds it loaded.
 */
export const startGroups = [
  {
    name: 'arguments',
    test: startFiles(
      'cli/start-arguments',
      'data-trust',
      'engine/kernel/errors',
      'engine/instance/lock-record',
    ),
    priority: 4,
  },
  {
    name: 'first',
    test: startFiles('shell/launch-arguments', 'shell/first'),
    priority: 3,
  },
  {
    name: 'first-window',
    test: startFiles('shell/windows/first-window'),
    priority: 3,
  },
  {
    name: 'start',
    test: startFiles('compose/compose', 'engine/instance/plan-relaunch'),
    priority: 2,
  },
  {
    name: 'shell',
    test: startFiles('shell/create-shell'),
    priority: 1,
  },
  {
    name: 'engine',
    test: startFiles('compose/load-engine', 'compose/rooms'),
    priority: 0,
  },
];

/**
 * The same for plain Node: `common` is what most commands need too; no command may need `engine`.
 * With seventy files, a start called small functions of Node so often that V8 loaded its optimizer:
 * 3 MB.
 */
export const nodeGroups = [
  {
    name: 'common',
    test: anyOf(
      filesOf(
        'shared',
        ...words(`activations agent-title call-folder error-messages event-names host-facts messages/en-schedule
          owner-words provider-title reason redact schedule/words secret-names settings shown-folder
          silent-holder states tool-words watch-rules`),
      ),
      startFiles(
        ...words(`adapters/secrets/private-file cli/render control/address control/frames
          control/proof control/protocol data-dir read-in-slices`),
      ),
    ),
    priority: 2,
  },
  {
    name: 'lock',
    test: startFiles('data-trust', 'adapters/instance/instance-lock', 'adapters/log/log'),
    priority: 1,
  },
  {
    name: 'engine',
    test: startFiles('compose/load-engine', 'compose/rooms', 'compose/compose'),
    priority: 0,
  },
];
