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
