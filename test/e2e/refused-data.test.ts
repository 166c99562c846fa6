/** The real app at a data folder into which another account has put something. */
import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestHome, type TestHome } from '../helpers/electron-app';
import { THIEF } from '../helpers/other-account';
import { isLeftOut, NOT_ROOT } from '../helpers/skips';

let home: TestHome;
beforeEach(async () => {
  home = await createTestHome();
});
afterEach(() => home.end());

describe.skipIf(isLeftOut('the app at data of another account', NOT_ROOT))(
  'K5 the app at data that is not ours alone',
  () => {
    it('K5 says what is wrong and how to look at it, ends with 1, and reads and makes nothing there', async () => {
      fs.mkdirSync(home.dataDir, { recursive: true, mode: 0o700 });
      const config = path.join(home.dataDir, 'config.json');
      fs.writeFileSync(config, '{}');
      fs.lchownSync(config, THIEF, THIEF);
      const before = fs.readdirSync(home.dataDir);
      const { code, stderr } = await home.run(['--hidden'], { display: true });
      expect(code).toBe(1);
      expect(stderr).toContain(`config.json belongs to another account (uid ${String(THIEF)}`);
      expect(stderr).toContain(`mv ${config} ${config}.untrusted`);
      expect(fs.readdirSync(home.dataDir)).toEqual(before);
    });
  },
);
