import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createPortableTexts,
  folderId,
  type PortableTexts,
  type Spellings,
} from '../../../electron/engine/journal/portable-text';
import { createHasher } from '../../../electron/adapters/blobs/hasher';
import { anyCharacter } from '../../helpers/any-text';
import { SLACK } from '../../helpers/slack';

const on = (workspace: string, home: string, data: string): Spellings => ({
  workspace: workspace === '' ? [] : [workspace],
  home: [home],
  data: [data],
});

const ada = on('/home/ada/work', '/home/ada', '/home/ada/.local/share/holdfast');
const bo = on('/srv/bo/src', '/Users/bo', '/Users/bo/Library/Application Support/holdfast');
const win = on(
  'C:\\Users\\Cy Li\\code',
  'C:\\Users\\Cy Li',
  'C:\\Users\\Cy Li\\AppData\\Roaming\\holdfast',
);
const idOf = (path: string): string => folderId(path, createHasher());
const withFolders = (spellings: Spellings, ...folders: readonly string[]): Spellings => ({
  ...spellings,
  folders: Object.fromEntries(folders.map((path) => [idOf(path), [path]])),
});
const W = '{{holdfast:workspace}}';
const H = '{{holdfast:home}}';
const D = '{{holdfast:data}}';

describe('a text that goes to another computer', () => {
  it.each<[Spellings, string, string]>([
    [ada, 'see /home/ada/work/a.ts, in /home/ada/work.', `see ${W}/a.ts, in ${W}.`],
    [ada, '/home/ada/work', W],
    [
      ada,
      '/home/ada/workshop /home/ada/work-2 /home/ada/work.old',
      `${H}/workshop ${H}/work-2 ${H}/work.old`,
    ],
    [ada, '/home/ada/.ssh/id /home/ada/.local/share/holdfast/x', `${H}/.ssh/id ${D}/x`],
    [
      ada,
      '/home/adam /home/ad /etc/hosts ~/x $HOME/x',
      '/home/adam /home/ad /etc/hosts ~/x $HOME/x',
    ],
    [ada, 'gcc -I/home/ada/include', `gcc -I${H}/include`],
    [ada, '\u001B[32m/home/ada/work\u001B[0m:3', `\u001B[32m${W}\u001B[0m:3`],
    [ada, 'file:///home/ada/work/a.ts', `file://${W}/a.ts`],
    [ada, String.raw`sed s/\/home\/ada\/x/y/`, String.raw`sed s/{{holdfast:home|\/}}\/x/y/`],
    [
      ada,
      JSON.stringify({ '/home/ada/work': ['/home/ada/work/b'] }),
      JSON.stringify({ [W]: [`${W}/b`] }),
    ],
    [ada, String.raw`{"p":"\/home\/ada\/work\/b" , "n":1.0}`, `{"p":"${W}/b" , "n":1.0}`],
    [win, 'in C:\\Users\\Cy Li\\code\\a.ts', `in ${W}\\a.ts`],
    [win, 'c:/users/cy li/code/a.ts', '{{holdfast:workspace|/}}/a.ts'],
    [win, JSON.stringify({ p: 'C:\\Users\\Cy Li\\x' }), JSON.stringify({ p: `${H}\\x` })],
    [
      win,
      String.raw`args {"p":"C:\\Users\\Cy Li\\x"}`,
      String.raw`args {"p":"{{holdfast:home|\\}}\\x"}`,
    ],
    [
      on('/app', '/root', '/data'),
      '/app/a /root/.ssh https://x.org/app /srv/data',
      `${W}/a ${H}/.ssh https://x.org/app /srv/data`,
    ],
    [on('/home/ada', '/home/ada', '/d/hf'), '/home/ada/x', `${W}/x`],
    [on('', '/', 'C:\\'), '/home/ada C:\\x', '/home/ada C:\\x'],
    [
      ada,
      `a template {{workspace}} with ${W} and {{holdfast::home}}`,
      'a template {{workspace}} with {{holdfast::workspace}} and {{holdfast:::home}}',
    ],
  ])('DW-18 %# leaves the paths of its computer behind', (spellings, text, traveled) => {
    const texts = createPortableTexts(spellings);
    expect(texts.out(text)).toBe(traveled);
    expect(texts.key(texts.in(traveled))).toBe(texts.key(text));
  });

  it.each<[Spellings, string, string]>([
    [bo, `in ${W}/a.ts and ${H}/.ssh`, 'in /srv/bo/src/a.ts and /Users/bo/.ssh'],
    [win, `in ${W}/a.ts`, 'in C:\\Users\\Cy Li\\code/a.ts'],
    [win, JSON.stringify({ p: `${W}/a.ts` }), JSON.stringify({ p: 'C:\\Users\\Cy Li\\code/a.ts' })],
    [
      win,
      JSON.stringify({ p: JSON.stringify([H]) }),
      JSON.stringify({ p: JSON.stringify(['C:\\Users\\Cy Li']) }),
    ],
    [
      win,
      String.raw`args {"p":"{{holdfast:home|\\}}\\x"}`,
      String.raw`args {"p":"C:\\Users\\Cy Li\\x"}`,
    ],
    [bo, String.raw`args {"p":"{{holdfast:home|\\}}\\x"}`, String.raw`args {"p":"/Users/bo\\x"}`],
    [bo, String.raw`s/{{holdfast:home|\/}}\/x/y/`, String.raw`s/\/Users\/bo\/x/y/`],
    [bo, '{{holdfast::workspace}} {{holdfast:other}}', '{{holdfast:workspace}} {{holdfast:other}}'],
    // An agent that is not on this computer has no folder here.
    [on('', '/Users/bo', '/d/hf'), `${W}/a.ts of ${H}`, `${W}/a.ts of /Users/bo`],
    // The folder of the agent is the home folder here, and both come back as what they were.
    [on('/h', '/home/bo', '/d/hf'), `${W} ${H}`, `${W} /home/bo`],
    [on('/home/bo', '/home/bo', '/d/hf'), `${W}/x ${H}/x`, '/home/bo/x /home/bo/./x'],
  ])('DW-18 DW-19 %# gets those of the computer that it comes to', (spellings, traveled, text) => {
    expect(createPortableTexts(spellings).in(traveled)).toBe(text);
  });

  it('DW-09 DW-18 what only looks like a folder of the other computer stays what it was, so that hashes agree', () => {
    const here = createPortableTexts(on('/home/ada/src/work', '/home/ada', '/d/hf'));
    for (const traveled of [`${H}/src/work/a`, '/home/ada/x', '/home/ada/src/work', `/d${H}`]) {
      const text = here.in(traveled);
      expect(here.key(text), text).toBe(traveled);
      expect(text.replaceAll('{{holdfast:}}', '')).not.toMatch(/holdfast:/);
    }
  });

  it.each<[Spellings, Spellings, string, string, string]>([
    [
      withFolders(ada, '/mnt/acme'),
      bo,
      'read /mnt/acme/q3.csv, /mnt/acme-2 and /home/ada/x',
      `read {{holdfast:${idOf('/mnt/acme')}}}/q3.csv, /mnt/acme-2 and ${H}/x`,
      `read {{holdfast:${idOf('/mnt/acme')}}}/q3.csv, /mnt/acme-2 and /Users/bo/x`,
    ],
    // The next computer has it, too.
    [
      withFolders(ada, '/mnt/acme', '/data'),
      withFolders(bo, '/mnt/acme/'),
      'cp "/mnt/acme/a" /data/b https://x.org/data',
      `cp "{{holdfast:${idOf('/mnt/acme')}}}/a" {{holdfast:${idOf('/data')}}}/b https://x.org/data`,
      `cp "/mnt/acme/a" {{holdfast:${idOf('/data')}}}/b https://x.org/data`,
    ],
    // Below another place, the longer one counts.
    [
      withFolders(ada, '/home/ada/acme'),
      bo,
      '/home/ada/acme/a /home/ada/b',
      `{{holdfast:${idOf('/home/ada/acme')}}}/a ${H}/b`,
      `{{holdfast:${idOf('/home/ada/acme')}}}/a /Users/bo/b`,
    ],
    [
      withFolders(win, 'D:\\Work'),
      withFolders(win, 'd:/work/'),
      'type d:\\work\\a.txt',
      `type {{holdfast:${idOf('D:\\Work')}}}\\a.txt`,
      'type d:\\work\\a.txt',
    ],
  ])(
    'DW-18 %# keeps the path of a private folder, and the next computer reads it where it has the same one',
    (here, there, text, traveled, arrived) => {
      const [one, two] = [createPortableTexts(here), createPortableTexts(there)];
      expect(one.out(text)).toBe(traveled);
      expect(two.in(traveled)).toBe(arrived);
      expect(two.key(arrived)).toBe(one.key(text));
      expect(one.key(one.in(two.out(arrived)))).toBe(one.key(text));
    },
  );

  const FOLDERS = [
    ...['/home/ada', '/home/ada/work', '/home/ada/work/src', '/home/ad', '/home/ada/workshop'],
    ...['/work', '/root', '/srv/home/ada', '/home/ada (x)', '/home/ada/.hf', '/Users/bö'],
  ];
  const WINDOWS = [
    ...['C:\\Users\\ada', 'C:\\Users\\ada\\work', 'C:\\Users\\ad', 'D:\\work', 'c:\\users\\ADA'],
    ...['\\\\host\\share', 'C:\\Users\\ada\\AppData\\hf'],
  ];
  const computer = (folders: readonly string[]) =>
    fc
      .array(fc.array(fc.constantFrom(...folders), { maxLength: 2 }), {
        minLength: 3,
        maxLength: 3,
      })
      .chain(([workspace = [], home = [], data = []]) =>
        fc
          .subarray([...folders], { maxLength: 2 })
          .map((more): Spellings => withFolders({ workspace, home, data }, ...more)),
      );
  const anyComputer = fc.oneof(
    { weight: 3, arbitrary: computer(FOLDERS) },
    { weight: 1, arbitrary: computer(WINDOWS) },
  );
  const piece = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...FOLDERS, ...WINDOWS) },
    {
      weight: 4,
      arbitrary: fc.constantFrom(
        ...[
          '/',
          '\\',
          '/src',
          '/work',
          '\\work',
          '.',
          '/.',
          '/./',
          '-',
          ' ',
          'm',
          '\n',
          '"',
          '/ada',
        ],
        ...[
          '{{holdfast:',
          '}}',
          ':',
          '{{workspace}}',
          W,
          H,
          '{{holdfast:home|/}}',
          `{{holdfast:${idOf('/home/ada')}}}`,
          `{{holdfast:${idOf('C:\\Users\\ada')}|/}}`,
          `{{holdfast:${idOf('/nowhere')}}}`,
          '{{holdfast::',
          '|',
        ],
        ...[
          '{{hold',
          'fast:home}}',
          '{{holdfast:}}',
          '\\/home\\/ada',
          'C:/Users/ada',
          'C:\\\\Users\\\\ada',
        ],
      ),
    },
    { weight: 1, arbitrary: anyCharacter },
  );
  const plain = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
  const text = fc.oneof(
    { weight: 3, arbitrary: plain },
    { weight: 1, arbitrary: plain.map((one) => JSON.stringify(one)) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(plain, plain, plain)
        .map(([a, b, c]) => JSON.stringify({ [a]: [b, 1, JSON.stringify({ c })] }, null, 1)),
    },
  );
  const runs = { numRuns: 1_000 };
  const all = (spellings: Spellings): readonly string[] =>
    [
      spellings.workspace,
      spellings.home,
      spellings.data,
      ...Object.values(spellings.folders ?? {}),
    ].flat();

  it.each([
    '{{holdfast:{{holdfast:}}}}',
    // JSON in another spelling than ours.
    String.raw`"\/Users\/bo\/x"`,
    String.raw`{"a":["\u002fUsers/bo \/Users\/bo"]}`,
    JSON.stringify({ log: String.raw`{"a":"\/Users\/bo"}` }),
    String.raw`{"\/home\/ada":"\/Users\/bo \u00e9"}`,
  ])('DW-09 DW-18 has the same key on a computer whose folders %j only seems to name', (said) => {
    const [here, there] = [ada, bo].map(createPortableTexts) as [PortableTexts, PortableTexts];
    expect(there.key(there.in(here.out(said)))).toBe(here.key(said));
  });

  it('DW-09 DW-18 has the same key on every computer, whatever it says and whatever folders both have, and after a third one as well', () => {
    fc.assert(
      fc.property(anyComputer, anyComputer, anyComputer, text, (one, two, three, plainText) => {
        const [a, b, c] = [one, two, three].map(createPortableTexts) as [
          PortableTexts,
          PortableTexts,
          PortableTexts,
        ];
        const there = b.in(a.out(plainText));
        expect(b.key(there)).toBe(a.key(plainText));
        expect(c.key(c.in(b.out(there)))).toBe(a.key(plainText));
      }),
      runs,
    );
  });

  it('DW-18 comes home as it was, except for how its separators were written', () => {
    const normal = (one: string): string => one.replaceAll('{{holdfast:}}', '');
    fc.assert(
      fc.property(fc.constantFrom(ada, bo), plain, (spellings, plainText) => {
        const texts = createPortableTexts(spellings);
        fc.pre(!plainText.includes('{{holdfast:}}') && !/^\s*["[{]/.test(plainText));
        expect(normal(texts.in(texts.out(plainText)))).toBe(plainText);
      }),
      runs,
    );
  });

  it('DW-18 names no folder of its computer, on its own or as the start of a path', () => {
    fc.assert(
      fc.property(computer(FOLDERS), plain, (spellings, plainText) => {
        fc.pre(!plainText.includes('{{holdfast:}}'));
        const sent = createPortableTexts(spellings).out(` ${plainText} `);
        for (const path of all(spellings))
          for (const after of ['/', ' ', '"', '\n'])
            // A folder right below the root is the end of other paths, too.
            for (const before of path.lastIndexOf('/') === 0 ? [' ', '"', '\n'] : [''])
              expect(sent.includes(before + path + after), sent).toBe(false);
      }),
      runs,
    );
  });

  it.each([
    '\\',
    `${'\\'.repeat(127)}a`,
    '\\home',
    '\\\\/',
    '/',
    '{{holdfast:',
    '{{holdfast:home|\\',
  ])(
    'DW-18 256 KB of %j, with the name of its folder behind, hold nothing up: once they took minutes',
    (filler) => {
      const hostile = `${filler.repeat(256 * 1024).slice(0, 256 * 1024)} work /home/ada/work`;
      const texts = createPortableTexts(ada);
      const startMs = performance.now();
      expect(texts.out(hostile)).toContain(W);
      texts.in(hostile);
      texts.key(hostile);
      expect(performance.now() - startMs).toBeLessThan(250 * SLACK);
    },
  );
});
