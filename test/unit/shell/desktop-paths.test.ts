import { beforeEach, describe, expect, it, vi } from 'vitest';

const asked = vi.hoisted(() => ({
  options: [] as unknown[],
  answer: '/home/mara/turn-7.patch',
}));

vi.mock('electron', () => ({
  app: { getPath: () => '/home/mara' },
  shell: { openPath: vi.fn() },
  dialog: {
    showSaveDialog: async (options: unknown) => {
      asked.options.push(options);
      return { filePath: asked.answer };
    },
    showOpenDialog: async (options: unknown) => {
      asked.options.push(options);
      return { filePaths: ['/home/mara/here'] };
    },
  },
}));

const { desktopPaths } = await import('../../../electron/shell/system/desktop-paths');

function setUp() {
  const call = vi.fn(async (_verb: string, _input: unknown, _origin: string) => ({}));
  const paths = desktopPaths({
    env: {},
    engine: () => ({ holdfast: { call } as never }),
    front: () => undefined,
  });
  return { call, paths };
}

beforeEach(() => {
  asked.options.length = 0;
  asked.answer = '/home/mara/turn-7.patch';
});

describe('I6 a page that asks for many dialogs', () => {
  it('I6 gets 1 of 120 at once, of any kind, and the next one after it is closed', async () => {
    asked.answer = '';
    const { paths } = setUp();
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => [
        paths.choose('file'),
        paths.save({ name: 'x.md', text: 'x' }),
        paths.savePatch(7),
      ]).flat(),
    );
    expect(asked.options).toHaveLength(1);
    expect(answers.filter((path) => path !== undefined)).toEqual(['/home/mara/here']);
    expect(await paths.choose('folder')).toBe('/home/mara/here');
    expect(asked.options).toHaveLength(2);
  });
});

describe('DW-20 saving a patch', () => {
  it('DW-20 the dialog asks before a file is replaced on each system, and the file that it confirmed is replaced', async () => {
    const { call, paths } = setUp();
    expect(await paths.savePatch(7)).toBe('/home/mara/turn-7.patch');
    expect(asked.options).toEqual([
      { defaultPath: '/home/mara/turn-7.patch', properties: ['showOverwriteConfirmation'] },
    ]);
    expect(call.mock.calls).toEqual([
      [
        'share.files',
        { turnId: 7, act: 'patch', patchFile: '/home/mara/turn-7.patch', mayReplace: true },
        'tray',
      ],
    ]);
  });

  it('DW-20 a dialog that was closed writes nothing', async () => {
    asked.answer = '';
    const { call, paths } = setUp();
    expect(await paths.savePatch(7)).toBeUndefined();
    expect(call).not.toHaveBeenCalled();
  });
});
