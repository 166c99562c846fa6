// @vitest-environment happy-dom
import { act, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { VerbOutput } from '../../shared/contract';
import { TurnPage } from '../../renderer/turn/turn-page';
import type { FakeBridge } from '../helpers/fake-bridge';
import { createSeed } from '../helpers/fake-seed';
import { axeFindings, show } from './render';
import type { Shown } from './render';

type Changes = VerbOutput<'share.files'>;

const FOLDER = '/home/mara/code/tool';
const CHANGES: Changes = {
  turnId: 7,
  folder: FOLDER,
  files: [
    { path: 'src/parse.ts', change: 'changed', added: 12, removed: 3, stand: 'open' },
    { path: 'logo\u202e.png', change: 'added', stand: 'edited' },
  ],
  more: 0,
  inFolder: 0,
  written: 0,
  diff: [
    'diff --git a/src/parse.ts b/src/parse.ts',
    'index 1..2 100644',
    '--- a/src/parse.ts',
    '+++ b/src/parse.ts',
    '@@ -1,2 +1,2 @@',
    ' const a = 1;',
    '--- a comment of old',
    '+++ b;',
    'diff --git a/logo.png b/logo.png',
    'Binary files /dev/null and b/logo.png differ',
    '',
  ].join('\n'),
};
const done = (): Changes => ({
  ...CHANGES,
  files: CHANGES.files.map((file) => ({ ...file, stand: 'done' as const })),
  inFolder: 2,
  written: 2,
});

const open = (prepare: (fake: FakeBridge) => void = () => undefined, hasFiles = true): Shown =>
  show(<TurnPage turnId={7} />, undefined, (fake) => {
    const { turns } = createSeed(Date.now());
    const turn = turns.find(({ id }) => id === 7);
    if (turn === undefined) throw new Error('no turn 7');
    fake.answer('turns.show', () => ({
      turn: { ...turn, state: 'completed', computer: 'desk-2' },
      prompt: 'Fix the parser',
      isPromptTruncated: false,
      steps: [],
      stops: [],
      ...(hasFiles ? { hasFiles: true as const } : {}),
    }));
    fake.answer('share.files', (asked) => (asked.act === 'apply' ? done() : CHANGES));
    prepare(fake);
  });
const card = () => screen.findByRole('region', { name: 'Files' });
const press = async ({ user }: Shown, name: string): Promise<void> =>
  user.click(within(await card()).getByRole('button', { name }));
const rows = (): readonly string[] =>
  within(screen.getByRole('region', { name: 'Files that the turn changed' }))
    .getAllByRole('listitem')
    .map((row) => [...row.children].map(({ textContent }) => textContent).join(' | '));

describe('files of a turn that took them along', () => {
  it('DW-20 nothing is asked for until a person wants to see the changes; then each file with its lines and how it stands here', async () => {
    const shown = open();
    await card();
    expect(shown.fake.callsOf('share.files')).toEqual([]);
    await press(shown, 'Show changes');
    await screen.findByText(`Applying writes to ${FOLDER} and commits nothing.`);
    expect(shown.fake.callsOf('share.files')).toEqual([{ turnId: 7, act: 'show' }]);
    expect(rows()).toEqual([
      'src/parse.ts | changed | +12 −3 | ',
      'logoU+202E.png | added | binary | changed here too; merges cleanly',
    ]);
    expect(await axeFindings(shown.container)).toEqual([]);
  });

  it('DW-20 before anything is applied a person sees what changed in each file, and after it, too', async () => {
    const shown = open();
    await press(shown, 'Show changes');
    const region = await screen.findByRole('region', { name: 'What changed in the files' });
    const lines = (): readonly string[] =>
      [...region.querySelectorAll('.patch-line')].map(
        (line) => `${line.className.replace('patch-line is-', '')}: ${line.textContent.trimEnd()}`,
      );
    const expected = [
      'file: src/parse.ts',
      'hunk: @@ -1,2 +1,2 @@',
      'same:  const a = 1;',
      'removed: --- a comment of old',
      'added: +++ b;',
      'file: logo.png',
      'note: Binary file, not shown.',
    ];
    expect(lines()).toEqual(expected);
    await press(shown, 'Apply to folder');
    await screen.findByText(`2 files written to ${FOLDER}. Nothing was committed.`);
    expect(lines()).toEqual(expected);
  });

  it('DW-20 changes too long for the page are left to the patch, and it says so', async () => {
    const { diff: _diff, ...long } = CHANGES;
    const shown = open((fake) => fake.answer('share.files', () => long));
    await press(shown, 'Show changes');
    expect(
      await screen.findByText('The changes are too long to show here. Save them as a patch.'),
    ).toBeTruthy();
    expect(screen.queryByRole('region', { name: 'What changed in the files' })).toBeNull();
  });

  it('DW-20 applying says how many files were written and where, takes the button away and keeps the focus', async () => {
    const shown = open();
    await press(shown, 'Show changes');
    await screen.findByText(/^Applying writes/);
    await press(shown, 'Apply to folder');
    const said = await screen.findByText(`2 files written to ${FOLDER}. Nothing was committed.`);
    expect(shown.fake.callsOf('share.files').at(-1)).toEqual({ turnId: 7, act: 'apply' });
    expect(screen.queryByRole('button', { name: 'Apply to folder' })).toBeNull();
    expect(document.activeElement).toBe(said);
    expect(rows().every((row) => row.endsWith('in your folder'))).toBe(true);
  });

  it('DW-20 a patch goes where the dialog of the system says, and a closed dialog says nothing', async () => {
    const path = '/home/mara/turn-7.patch';
    const answers = [{}, { path }];
    const shown = open((fake) => fake.answer('app.savePatch', () => answers.shift() ?? {}));
    await press(shown, 'Show changes');
    await screen.findByText(/^Applying writes/);
    await press(shown, 'Save as patch…');
    await waitFor(() => expect(answers).toHaveLength(1));
    await waitFor(() => expect(document.querySelector('[data-loading]')).toBeNull());
    await act(async () => undefined);
    expect((await card()).textContent).not.toContain('Saved as');
    await press(shown, 'Save as patch…');
    expect(await screen.findByText(`Saved as ${path}`)).toBeTruthy();
    expect(shown.fake.callsOf('app.savePatch')).toEqual([{ turnId: 7 }, { turnId: 7 }]);
  });

  it('DW-20 a file that does not fit leaves the patch alone to take, and what did not get out of the other computer is named', async () => {
    const shown = open((fake) =>
      fake.answer('share.files', () => ({
        ...CHANGES,
        files: CHANGES.files.map((file) => ({ ...file, stand: 'conflict' as const })),
        left: { machine: 'desk-2', why: 'tls.key looks like a key.' },
      })),
    );
    await press(shown, 'Show changes');
    await screen.findByText(/^Some of these files were changed here too/);
    expect(screen.queryByRole('button', { name: 'Apply to folder' })).toBeNull();
    expect(screen.getByRole('button', { name: 'Save as patch…' })).toBeTruthy();
    expect((await card()).textContent).toContain(
      'The last changes are missing here. They are only on desk-2. tls.key looks like a key.',
    );
  });

  it('DW-20 a refusal says why, and can be tried again', async () => {
    const shown = open((fake) =>
      fake.refuse(
        'share.files',
        'INPUT_INVALID',
        'The folder of its agent here is not in a git repository.',
      ),
    );
    await press(shown, 'Show changes');
    expect((await screen.findByRole('alert')).textContent).toContain('not in a git repository');
    expect(screen.getByRole('button', { name: 'Show changes' })).toBeTruthy();
  });

  it('DW-20 a turn that took no files along has no such part', async () => {
    open(undefined, false);
    await screen.findByText('No steps yet.');
    expect(screen.queryByRole('region', { name: 'Files' })).toBeNull();
  });
});
