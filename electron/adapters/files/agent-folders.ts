import fs from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { resolvePath } from '../../data-dir';
import { makeFolderSync, moveAsideSync, syncFolderSync } from '../../disk/durable-folder';
import { writeDurablySync } from '../../disk/durable-file';
import { HoldfastError } from '../../engine/kernel/errors';
import type { AgentFolders } from '../../ports/agent-folders';

export function createAgentFolders(dataDir: string): AgentFolders {
  return {
    practice: path.join(dataDir, 'practice'),
    // Only a folder contains `.`, so a file of this name does not count.
    exists: (folder) => fs.existsSync(`${folder}/.`),
    usable(folder) {
      try {
        // A hand-written config file may contain ~; a relative path is not a folder.
        const real = fs.realpathSync(storedFolder(folder));
        return fs.statSync(real).isDirectory() ? real : undefined;
      } catch {
        return undefined; // To the user, missing and unreadable folders are the same.
      }
    },
    stored: storedFolder,
    prepare(folder, files) {
      if (fs.existsSync(folder)) return;
      const fresh = `${folder}.new`;
      fs.rmSync(fresh, { recursive: true, force: true }); // Left by a killed or failed try.
      makeFolderSync(fresh, path.dirname(fresh));
      for (const file of files)
        writeDurablySync(path.join(fresh, file.path), file.content, { mode: 0o644 });
      moveAsideSync(fresh, folder);
      syncFolderSync(path.dirname(folder));
    },
  };
}

function storedFolder(written: string): string {
  if (path.isAbsolute(written)) return path.normalize(written);
  if (/^~($|[/\\])/.test(written)) return resolvePath(written, homedir());
  throw new HoldfastError('INPUT_INVALID', `The folder "${written.slice(0, 200)}" is relative.`, {
    hint: 'Nothing was changed. Enter the full path of the folder, or one that starts with ~/.',
  });
}
