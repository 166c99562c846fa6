import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KIND_CODES } from '../../../electron/adapters/sqlite/journal/entry-codec';
import { CRASH_POINTS } from '../../../electron/engine/kernel/crash-points';
import { EXIT } from '../../../electron/cli/exit-codes';
import { ERROR_CODES } from '../../../shared/error-codes';
import { ERROR_MESSAGES } from '../../../shared/error-messages';
// @ts-expect-error plain JavaScript: it runs before anything is built
import * as layers from '../../../build/lint-layers.mjs';
// @ts-expect-error plain JavaScript: it runs before anything is built
import * as fuses from '../../../build/setup/fuses.mjs';
import {
  at,
  blocks,
  documents,
  filesIn,
  firstColumn,
  inlineCode,
  isTracked,
  read,
  roomReadmes,
  section,
  tableRows,
} from './project-docs';
import { crashPointsTable, entriesTable, settingsCount, settingsTable } from './made-tables';
import * as reference from './made-reference';
import { SETTINGS } from '../../../shared/settings';
import { agentSettings } from '../../../shared/settings/agents';
import { channelSettings } from '../../../shared/settings/channels';
import { providerSettings } from '../../../shared/settings/providers';
import { mcpServerSettings } from '../../../shared/settings/mcp';

const { roomOrder } = layers as { roomOrder: readonly (readonly string[])[] };
const { shippedFuses } = fuses as {
  shippedFuses: (platform: string) => Readonly<Record<string, boolean>>;
};

const { scripts, dependencies, devDependencies } = JSON.parse(read('package.json')) as {
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
};
const architecture = read('ARCHITECTURE.md');
const journal = read('docs/explanation/journal.md');

const FOLDERS = ['electron', 'renderer', 'shared', 'build', 'test', 'docs', '.ci'];
/** Made or fetched later, or an example of a name. */
const NOT_IN_GIT = [/^dist\//, /^node_modules\//, /\/0002_what_it_does/];

/** `electron/x/y.ts`, `test/unit/<room>/`, links and the like, as far as they name something that exists. */
function projectPaths(path: string): string[] {
  const markdown = read(path);
  const links = [...markdown.matchAll(/\]\(([^)#:]+)\)/g)].map((found) =>
    join(dirname(path), found[1] ?? ''),
  );
  const words = [...inlineCode(markdown), ...blocks(markdown)].flatMap((code) => code.split(/\s+/));
  return [...links, ...words]
    .map((word) => word.replace(/[.,;:]+$/, ''))
    .filter(
      (word) => FOLDERS.some((folder) => word.startsWith(`${folder}/`)) || links.includes(word),
    )
    .filter((word) => !word.includes('<') && !word.includes('*'))
    .filter((word) => !NOT_IN_GIT.some((pattern) => pattern.test(word)));
}

describe('documents and the project', () => {
  it.each(documents)('%s is there and names only paths that exist', (path) => {
    expect(existsSync(at(path)), path).toBe(true);
    const missing = projectPaths(path).filter((named) => !existsSync(at(named)));
    expect(missing).toEqual([]);
  });

  it.each(roomReadmes)('%s names only files of its folder or of the engine', (path) => {
    const folder = path.slice(0, path.lastIndexOf('/'));
    const places = [folder, 'electron/engine', 'electron'];
    const named = inlineCode(read(path)).filter((word) => /^(\.\.\/)*[\w/-]+\.tsx?$/.test(word));
    const missing = named.filter(
      (word) =>
        !places.some((place) => existsSync(at(`${place}/${word}`))) &&
        !existsSync(at(word)) &&
        !filesIn(folder).some((file) => basename(file) === word),
    );
    expect(missing).toEqual([]);
  });

  it('keeps the README of a room within 30 lines, and tells of every room once', () => {
    const table = firstColumn(read('electron/engine/README.md'), '# The engine');
    const rooms = roomOrder.flat().filter((room) => existsSync(at(`electron/engine/${room}`)));
    expect(table.toSorted()).toEqual(rooms.toSorted());
    for (const room of rooms) {
      expect(read(`electron/engine/${room}/README.md`).split('\n').length).toBeLessThan(32);
    }
  });

  it('names only npm scripts that exist, and all that a contributor needs', () => {
    const all = documents.map(read).join('\n');
    const named = [...all.matchAll(/\bnpm run (?:--silent )?([a-z][\w:-]*)/g)].map(
      (found) => found[1] ?? '',
    );
    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
    const known = new Set([...named, 'start', 'test']);
    expect(Object.keys(scripts).filter((name) => !known.has(name))).toEqual([]);
    expect(all).toContain('npm ci && npm start');
    expect(all).toContain('npm ci && npm test');
  });

  it('names every folder and file of electron/ in ARCHITECTURE.md, and every adapter and room in its README', () => {
    const places = section(architecture, '## Where things are');
    const below = (folder: string): string[] => {
      const depth = folder.split('/').length;
      const inFolders = filesIn(folder).filter((file) => file.split('/').length > depth + 1);
      return [...new Set(inFolders.map((file) => file.split('/')[depth] ?? ''))];
    };
    expect(below('electron').filter((one) => !places.includes(`electron/${one}/`))).toEqual([]);
    const files = filesIn('electron').filter((file) => /^electron\/[\w-]+\.ts$/.test(file));
    const shown = files.filter((file) => !file.endsWith('.d.ts')).map((file) => basename(file));
    expect(shown.filter((file) => !places.includes(file))).toEqual([]);
    for (const [folder, end] of [
      ['electron/adapters', '/'],
      ['electron/engine', ''],
    ] as const) {
      const text = read(`${folder}/README.md`);
      const missing = below(folder).filter(
        (one) => one !== 'api' && !text.includes(`\`${one}${end}\``),
      );
      expect(missing, folder).toEqual([]);
    }
  });

  it.each([
    ['README.md', 'docs/kill-and-resume.gif', '](docs/kill-and-resume.gif)', 'GIF89a'],
    ['docs/tutorial.md', 'docs/screenshot.png', '](screenshot.png)', 'PNG'],
  ])('%s shows %s, which is a picture of at most 1.5 MB', (page, picture, link, magic) => {
    expect(read(page)).toContain(link);
    // An unpacked archive of the sources may be without pictures.
    if (isTracked(picture) !== true) return;
    const bytes = readFileSync(at(picture));
    expect(bytes.subarray(0, 8).toString('latin1')).toContain(magic);
    expect(bytes.length).toBeLessThan(1_500_000);
  });
});

const STATES_PAGE = 'docs/reference/states-and-exit-codes.md';

const configEntries = (): string =>
  [
    reference.entries('Providers', providerSettings(), 'shared/settings/providers.ts', [
      ['', 'const providerSettings', 'export type ProviderSettings'],
    ]),
    reference.entries('Agents', agentSettings(), 'shared/settings/agents.ts', [
      ['Built-in (`llm`)', 'const llmAgentSettings', 'const acpAgentSettings'],
      ['External (`acp`)', 'const acpAgentSettings', 'const commandAgentSettings'],
      ['Command line (`command`)', 'const commandAgentSettings', 'export const agentSettings'],
    ]),
    reference.entries('MCP servers', mcpServerSettings(), 'shared/settings/mcp.ts', [
      ['', 'const mcpServerSettings', 'export const MCP_SETTINGS'],
    ]),
    reference.entries(
      'Channels',
      channelSettings(),
      [
        'shared/settings/channels.ts',
        'shared/settings/channel-parts.ts',
        ...['bot', 'ntfy', 'mail', 'webpush'].map(
          (kind) => `shared/settings/channel-kinds/${kind}.ts`,
        ),
      ],
      [
        ['`webhook`', 'const webhook', 'const command'],
        ['`telegram`', 'const bot =', 'const botKind'],
        ['`ntfy`', 'const ntfy', 'const NTFY:'],
        ['`slack`', 'const bot =', 'const botKind'],
        ['`discord`', 'const bot =', 'const botKind'],
        ['`mail`', 'export const mail', 'const MAIL:'],
        ['`webpush`', 'export const webpush', 'const WEBPUSH:'],
        ['`command`', 'const command', 'export const channelSettings'],
      ],
      [
        ['const common', 'export const REMOTE_DECISIONS'],
        ['const tokenFields', 'export const tokenPlace'],
      ],
    ),
  ].join('\n\n');

/** As text without what Prettier pads. */
const plain = (markdown: string): string =>
  markdown
    .split('\n')
    .map((line) => line.replace(/-{3,}/g, '---').replace(/ +/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n');

describe('tables made from code', () => {
  it.each([
    ['S0-02 the settings', 'docs/reference/settings.md', 'settings', settingsTable],
    ['the kinds of journal entries', 'docs/explanation/journal.md', 'entries', entriesTable],
    ['the crash points', 'docs/explanation/journal.md', 'crash-points', crashPointsTable],
    ['the turn states', STATES_PAGE, 'turn-states', reference.turnStates],
    ['the step states', STATES_PAGE, 'step-states', reference.stepStates],
    ['the provider states', STATES_PAGE, 'provider-states', reference.providerStates],
    ['the circuit breaker states', STATES_PAGE, 'breaker-states', reference.breakerStates],
    ['the exit codes', STATES_PAGE, 'exit-codes', reference.exitCodes],
    ['S2-30 the error codes', 'docs/reference/errors.md', 'errors', reference.errorCodes],
    ['the topics', 'docs/reference/events.md', 'topics', reference.ownTopics],
    ['the live events', 'docs/reference/events.md', 'live-events', reference.liveEvents],
    ['the tools of holdfast mcp', 'docs/reference/mcp-tools.md', 'tools', reference.mcpTools],
    ['the JSON values', 'docs/reference/json.md', 'values', reference.jsonOutputs],
    ['the built-in prices', 'docs/reference/model-prices.md', 'prices', reference.builtInPrices],
    ['the entries of the config file', 'docs/reference/config-file.md', 'entries', configEntries],
  ])('the table of %s in %s equals the code', (_what, path, name, make) => {
    const marker = new RegExp(`(<!-- ${name}:begin[^>]*-->\\n)([^]*?)(<!-- ${name}:end -->)`);
    const text = read(path);
    const found = marker.exec(text);
    expect(found).not.toBeNull();
    if (process.env['UPDATE_DOCS'] === '1') {
      const [all = '', begin = '', , end = ''] = found ?? [];
      writeFileSync(
        at(path),
        text.replace(all, () => `${begin}\n${make()}\n\n${end}`),
      );
      return;
    }
    expect(plain(found?.[2] ?? '')).toBe(plain(make()));
  });

  it('the tables are made of all that the code has', () => {
    expect(settingsCount()).toBe(Object.keys(SETTINGS).length);
    expect(tableRows(crashPointsTable()).length - 2).toBe(CRASH_POINTS.length);
    expect(tableRows(entriesTable()).length - 2).toBe(Object.keys(KIND_CODES).length);
  });

  it('S0-+06 the list of the start is the list of parts, in their order', () => {
    const names = new Map(
      filesIn('electron/compose').flatMap((file) =>
        [...read(file).matchAll(/^export function (\w+Part)\([^]*?\bname: '([^']+)'/gm)].map(
          ([, part = '', name = '']) => [part, name] as const,
        ),
      ),
    );
    const rows = /^ {4}(\w+Part)\(|\bname: '([^']+)'/gm;
    const parts = [...read('electron/compose/compose.ts').matchAll(rows)].map(
      ([, part = '', name]) => name ?? names.get(part) ?? part,
    );
    const listed = blocks(section(read('docs/explanation/lifecycle.md'), '## A start'))
      .map((line) => /^ ?\d+ {2}(\S+(?: \S+)*)/.exec(line)?.[1])
      .filter((name) => name !== undefined);
    expect(parts.length).toBeGreaterThan(10);
    expect(listed).toEqual(parts);
  });

  it('every crash point is hit somewhere', () => {
    const sources = filesIn('electron').filter(
      (file) => file.endsWith('.ts') && !file.endsWith('kernel/crash-points.ts'),
    );
    const text = sources.map(read).join('\n');
    expect(CRASH_POINTS.filter((point) => !text.includes(`'${point}'`))).toEqual([]);
  });

  it('every table of the database has one owner', () => {
    const sql = read('electron/adapters/sqlite/schema.sql');
    const made = [...sql.matchAll(/CREATE TABLE "?(\w+)/g)].map((found) => found[1] ?? '');
    const shown = firstColumn(journal, '## Tables');
    expect(shown.toSorted()).toEqual(made.toSorted());
    for (const [table, owner] of tableRows(section(journal, '## Tables')).slice(2)) {
      expect(owner, table).toMatch(/^[\w/]+$/);
    }
  });

  it('every dependency has its one job in ARCHITECTURE.md, and nothing else is listed', () => {
    const part = section(architecture, '## Dependencies and their purposes');
    const listed = tableRows(part).flatMap((cells) => inlineCode(cells[0] ?? ''));
    const wanted = [...Object.keys(dependencies), ...Object.keys(devDependencies)];
    expect(listed.toSorted()).toEqual(wanted.toSorted());
    const jobs = tableRows(part).filter((cells) => (cells[0] ?? '').startsWith('`'));
    for (const [name, job] of jobs) expect(job, name).toMatch(/\w{3,}/);
  });

  it('the exit codes of docs/reference/cli.md are those of the command line', () => {
    const codes = tableRows(read('docs/reference/cli.md'))
      .map((cells) => cells[0] ?? '')
      .filter((cell) => /^\d+$/.test(cell));
    expect(codes.map(Number)).toEqual(Object.values(EXIT));
  });

  it('S2-30 error codes are unique, and each has a message', () => {
    expect(new Set(ERROR_CODES).size).toBe(ERROR_CODES.length);
    for (const code of ERROR_CODES) expect(ERROR_MESSAGES[code].next, code).not.toBe('');
  });

  it('SECURITY.md lists the fuses that ship, with their values', () => {
    const rows = tableRows(section(read('SECURITY.md'), '## Fuses')).slice(2);
    const linux = shippedFuses('linux');
    const mac = shippedFuses('darwin');
    expect(rows.map((cells) => cells[0]).toSorted()).toEqual(Object.keys(linux).toSorted());
    for (const [name = '', shipped] of rows) {
      const says = linux[name] ? 'on' : mac[name] ? 'on macOS and Windows' : 'off';
      expect(shipped, name).toBe(says);
    }
  });

  it('UP-03 CONTRIBUTING.md lists every file that decides by system, with a test that the workflow runs on each', () => {
    const rows = tableRows(section(read('CONTRIBUTING.md'), '## What differs between systems'))
      .slice(2)
      .map((cells) => cells.map((cell) => cell.replaceAll('`', '')));
    const deciding = filesIn('electron')
      .filter((file) => file.endsWith('.ts'))
      .filter((file) => /platform [!=]==|'win32'|'darwin'/.test(read(file)));
    expect(rows.map(([file]) => file)).toEqual(deciding.toSorted());
    const [, ran = ''] =
      /What is different on this system\n\s+run: npx vitest run --project unit (.+)/.exec(
        read('.github/workflows/release.yml'),
      ) ?? [];
    const folders = ran.split(' ');
    for (const [file = '', , test = ''] of rows) {
      expect(read(test), file).toMatch(/win32|darwin|macOS|Windows/);
      expect(folders, file).toContain(dirname(test));
    }
  });

  it('docs/reference/environment.md lists every environment variable that the sources read', () => {
    const settings = read('docs/reference/environment.md');
    const text = [...filesIn('electron'), ...filesIn('build'), 'vite.config.ts']
      .filter((file) => /\.(ts|mjs)$/.test(file))
      .map(read)
      .join('\n');
    const named = new Set([...text.matchAll(/\bHOLDFAST_[A-Z_]+\b/g)].map((found) => found[0]));
    // Between the project's own processes, and names that only tests set.
    const inner = /^HOLDFAST_(TEST_.*|RESOLVING_ENVIRONMENT|CONFIG__.*|)$/;
    const missing = [...named].filter((name) => !inner.test(name) && !settings.includes(name));
    expect(missing).toEqual([]);
    expect(settings).toContain('HOLDFAST_CONFIG__');
  });

  it('docs/reference/files.md lists every file that a part writes into D', () => {
    const table = tableRows(read('docs/reference/files.md')).map((cells) => cells[0] ?? '');
    const sources = filesIn('electron').filter((file) => file.endsWith('.ts'));
    const named = new Set(
      sources.flatMap((file) =>
        [
          ...read(file).matchAll(/\b(?:dataDir|runDir|real)\)?, '([\w.-]+)'(?:, '([\w.-]+)')?\)/g),
          ...read(file).matchAll(/ataDir\}\/(\w+)/g),
        ].flatMap((found) => found.slice(1).filter((part) => part !== undefined)),
      ),
    );
    // What SQLite and Chromium add, and what is named by its month, size or hash.
    for (const name of ['-wal', '-shm', 'holdfast.db', 'lock.db', 'audit', 'backups', 'blobs'])
      named.add(name);
    expect(named.size).toBeGreaterThan(15);
    const untold = [...named].filter((name) => !table.some((cell) => cell.includes(name)));
    expect(untold).toEqual([]);
  });
});

describe('what no document says', () => {
  const FORBIDDEN: readonly (readonly [what: string, pattern: RegExp])[] = [
    ['a path of one machine', /(^|[\s"'`(])\/(work|root|home|Users|mnt|workspace)\//m],
    [
      'a registry host',
      /registry\.[a-z-]+\.[a-z]{2,}|\bnpmjs\b|\bpypi\b|deb\.debian|archive\.ubuntu|proxy\.golang/i,
    ],
    [
      'who or what wrote it',
      /\b(claude code wrote|co-authored|generated (by|with)|prompted|chatgpt)\b/i,
    ],
    ['a tracker', /\b(seeds?|issue tracker|ticket|backlog|milestone)\b/i],
    ['apologies and cheers', /\b(oops|please|successfully|simply|blazing|awesome)\b|!\s/i],
  ];

  it.each(documents)('%s speaks of the project alone', (path) => {
    const text = read(path).replace(/!\[/g, '[');
    for (const [what, pattern] of FORBIDDEN) expect(pattern.exec(text)?.[0], what).toBeUndefined();
  });

  it.each([
    ['README.md', '## What is guaranteed, and what is not'],
    ['docs/explanation/guarantees.md', '# What is guaranteed, and what is not'],
  ])('S4-+07 S3-36 %s says what is not guaranteed, and so does the help', (path, heading) => {
    const part = section(read(path), heading).replace(/\s+/g, ' ');
    for (const words of [
      'Side effects that tools do not report',
      'neither an idempotency key nor a status check',
      'while the computer is off',
      'Accepted means on disk',
      // For what an external agent does on its own this is no promise.
      'never runs a completed action again, in any recovery mode',
      'external agent',
      'can recover the state of a turn and the content of the agent',
      'queue spans several computers',
    ]) {
      expect(part).toContain(words);
    }
  });
});
