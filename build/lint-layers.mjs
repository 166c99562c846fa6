// The directions in which the parts may import each other, and what the pure parts may not touch,
// as ESLint configuration. ESLint does not merge a rule that two blocks set for the same file, so
// every folder gets exactly one block, built here from named pieces.

/**
 * Engine rooms, left to right: a room may import the groups before its own, never its own group or
 * later ones.
 */
export const roomOrder = Object.freeze([
  ['kernel'],
  ['journal', 'retry', 'instance', 'shell-policy'],
  ['inbox'],
  ['sessions'],
  ['awake', 'breaker', 'outbox', 'permissions', 'drafts', 'wakes', 'schedule'],
  ['budgets', 'outage'],
  ['fallback'],
  ['gateway'],
  ['recovery'],
  ['sharing'],
  ['skills'],
  ['turns'],
  ['executors'],
  ['history', 'hosts', 'replies', 'search', 'status', 'traces', 'updates', 'upkeep'],
]);

const engineRooms = roomOrder.flat();
const faces = 'api|kernel';
const outside = 'adapters|disk|shell|ipc|control|cli|observability';
/**
 * Hosts may know what goes into the composition root and what comes out: its options, the lifecycle.
 */
const entries = 'compose(?!/options$)|offline|main|node|preload';
const allEntries = 'compose|offline|lifecycle|main|node|preload';

/** @param {string} regex @param {string} message */
const ban = (regex, message) => ({ regex, message });

const noElectron = ban(
  '^(electron|electron/.*|electron-store)$',
  'Electron is imported in electron/shell, electron/ipc, main.ts and preload.ts only.',
);
const noRemote = ban('^@electron/remote', 'The remote module breaks the process boundary.');
const noNode = ban('^node:', 'This folder is pure: ask a port.');
const noSetImports = [noRemote];

/** Pure folders may use only these packages from node_modules. @param {string[]} names */
const onlyPackages = (names) =>
  ban(
    `^(?!\\.{1,2}(/|$))(?!(${['electron', ...names].join('|')})(/|$))(?!node:)`,
    `This folder is pure; besides our own files it imports only: ${names.join(', ')}.`,
  );

/** @param {string} folders @param {string} message relative imports that climb into one of the folders */
const noClimb = (folders, message) => ban(`^(\\.\\./)+(${folders})(/|$)`, message);

const layerMessage =
  'Against the layer order (ARCHITECTURE.md): pass a function in electron/compose, or use an event.';

/** @param {string} room */
const laterRooms = (room) => {
  const level = roomOrder.findIndex((group) => group.includes(room));
  return roomOrder
    .slice(level)
    .flat()
    .filter((name) => name !== room);
};

const globalsOf = (/** @type {string} */ instead) =>
  [
    'setTimeout',
    'setInterval',
    'setImmediate',
    'clearTimeout',
    'clearInterval',
    'fetch',
    'process',
    'performance',
    'crypto',
    'console',
    'Buffer',
    '__dirname',
    'require',
  ].map((name) => ({ name, message: instead }));

const ports = 'This folder is pure: time, randomness, network and environment come through ports.';

const pureProperties = [
  { object: 'Date', property: 'now', message: ports },
  { object: 'Math', property: 'random', message: ports },
  { object: 'process', property: 'env', message: ports },
  { object: 'globalThis', property: 'process', message: ports },
];

/** @param {string} selector @param {string} message */
const syntax = (selector, message) => ({ selector, message });

const pureSyntax = [
  syntax("NewExpression[callee.name='Date'][arguments.length=0]", ports),
  syntax("CallExpression[callee.name='Date']", ports),
  syntax(
    'ImportExpression',
    'This folder is pure: whatever is loaded lazily is loaded by electron/compose.',
  ),
];

const defaultExport = syntax('Program > ExportDefaultDeclaration', 'Export by name.');

const everywhere = [
  syntax("Property[key.name='shell'][value.value=true]", 'No shell: pass an argument list.'),
  syntax(
    'AssignmentExpression > MemberExpression.left[property.name=/^(innerHTML|outerHTML)$/]',
    'Text from agents is hostile: render it as text.',
  ),
  syntax("CallExpression[callee.property.name='insertAdjacentHTML']", 'Render text as text.'),
  syntax("JSXAttribute[name.name='dangerouslySetInnerHTML']", 'Render text as text.'),
  syntax("Property[key.name='dangerouslySetInnerHTML']", 'Render text as text.'),
  syntax("CallExpression[callee.property.name='loadFile']", 'Windows load holdfast://app/ only.'),
];

const openExternal = syntax(
  "CallExpression[callee.property.name='openExternal']",
  'Only electron/shell/windows/open-external.ts opens something in the browser: it knows the allowed hosts.',
);
const lockFile = syntax(
  'Literal[value=/lock\\.db/], TemplateElement[value.raw=/lock\\.db/]',
  'Only electron/adapters/instance opens lock.db: any other handle in this process drops the lock when it closes.',
);

/**
 * @param {string} name
 * @param {string[]} files
 * @param {{imports: object[], pure?: boolean, syntax?: object[], ignores?: string[]}} options
 * @returns {import('eslint').Linter.Config}
 */
const layer = (
  name,
  files,
  { imports, pure = false, syntax: more = [openExternal, lockFile], ignores = [] },
) => ({
  name: `layers/${name}`,
  files,
  ignores,
  rules: {
    'no-restricted-imports': ['error', { patterns: [...imports, ...noSetImports] }],
    'no-restricted-properties': pure ? ['error', ...pureProperties] : 'off',
    'no-restricted-globals': pure ? ['error', ...globalsOf(ports)] : 'off',
    'no-restricted-syntax': [
      'error',
      defaultExport,
      ...everywhere,
      ...more,
      ...(pure ? pureSyntax : []),
    ],
  },
});

const enginePackages = onlyPackages(['zod', 'croner', 'unbash']);

const room = (/** @type {string} */ name) =>
  layer(`engine/${name}`, [`electron/engine/${name}/**/*.ts`], {
    pure: true,
    imports: [
      noElectron,
      noNode,
      enginePackages,
      noClimb(`${outside}|${allEntries}|renderer|test|build`, layerMessage),
      noClimb([...laterRooms(name), 'api'].join('|'), layerMessage),
    ],
  });

/** A folder of the outer ring: it knows the engine by its face only. */
const outer = (/** @type {string} */ name, /** @type {{electron: boolean}} */ { electron }) =>
  layer(name, [`electron/${name}/**/*.{ts,tsx}`], {
    imports: [
      ...(electron ? [] : [noElectron]),
      noClimb(
        `engine/(?!(${faces})(/|$))[^/]+`,
        'Outside the engine only its api and kernel are known.',
      ),
      noClimb(`adapters|${entries}|renderer|test|build`, layerMessage),
    ],
    ...(name === 'shell' ? { ignores: ['electron/shell/**/open-external.ts'] } : {}),
  });

/** @type {import('eslint').Linter.Config[]} */
export const layers = [
  layer('engine/api', ['electron/engine/api/**/*.ts'], {
    pure: true,
    imports: [
      noElectron,
      noNode,
      enginePackages,
      noClimb(`${outside}|${allEntries}|renderer|test|build`, layerMessage),
    ],
  }),
  ...engineRooms.map(room),
  layer('ports', ['electron/ports/**/*.ts'], {
    pure: true,
    imports: [
      noElectron,
      noNode,
      onlyPackages(['zod']),
      noClimb(
        `engine/(?!kernel(/|$))[^/]+|${outside}|${allEntries}|renderer|test|build`,
        layerMessage,
      ),
    ],
  }),
  layer('shared', ['shared/**/*.ts'], {
    pure: true,
    imports: [
      noElectron,
      noNode,
      onlyPackages(['zod']),
      noClimb('electron|renderer|test|build', layerMessage),
    ],
  }),
  layer('disk', ['electron/disk/**/*.ts'], {
    imports: [noElectron, noClimb('[^/]+', 'The writer of files knows nothing but files.')],
  }),
  layer('adapters', ['electron/adapters/**/*.ts'], {
    ignores: ['electron/adapters/instance/**'],
    imports: [
      noElectron,
      noClimb('engine/(?!kernel(/|$))[^/]+', 'Adapters know ports, not rooms.'),
      noClimb(`ipc|control|cli|observability|${allEntries}|renderer|test|build`, layerMessage),
      // One level up is the adapter of that name; two levels up are windows and tray.
      ban('^(\\.\\./){2,}shell(/|$)', layerMessage),
    ],
  }),
  layer('adapters/instance', ['electron/adapters/instance/**/*.ts'], {
    syntax: [openExternal],
    imports: [
      noElectron,
      noClimb('engine/(?!kernel(/|$))[^/]+', 'Adapters know ports, not rooms.'),
      noClimb(
        `shell|ipc|control|cli|observability|${allEntries}|renderer|test|build`,
        layerMessage,
      ),
    ],
  }),
  outer('shell', { electron: true }),
  layer('shell/open-external', ['electron/shell/**/open-external.ts'], {
    syntax: [lockFile],
    imports: [noClimb(`adapters|${entries}|renderer|test|build`, layerMessage)],
  }),
  outer('ipc', { electron: true }),
  outer('control', { electron: false }),
  outer('cli', { electron: false }),
  outer('observability', { electron: false }),
  layer('entries', ['electron/main-program.ts', 'electron/preload.ts'], {
    imports: [noClimb('renderer|test', layerMessage)],
  }),
  layer('compose', ['electron/compose/**/*.ts'], {
    syntax: [openExternal],
    imports: [noElectron, noClimb('offline|renderer|test|build', layerMessage)],
  }),
  layer('plain-node entries', ['electron/*.ts', 'electron/offline/**/*.ts'], {
    ignores: ['electron/main-program.ts', 'electron/preload.ts'],
    syntax: [openExternal],
    imports: [noElectron, noClimb('renderer|test|build', layerMessage)],
  }),
  layer('renderer', ['renderer/**/*.{ts,tsx}'], {
    imports: [
      noElectron,
      ban('^node:', 'The renderer has no Node.'),
      noClimb('electron|test|build', 'The renderer knows shared/ and window.holdfast only.'),
    ],
  }),
];
