/** Saves a text of a page to a file that the user chooses in a system dialog. */
import { basename, join } from 'node:path';
import { dialog } from 'electron';
import type { BrowserWindow, SaveDialogOptions } from 'electron';
import { flatLine } from '../../../shared/unseen';
import { writeDurably } from '../../disk/durable-file';

interface SaveDialogPlace {
  readonly folder: string;
  readonly front: BrowserWindow | undefined;
}

/** The path that was written; undefined if the dialog was closed. */
export async function saveText(
  { name, text }: { readonly name: string; readonly text: string },
  place: SaveDialogPlace,
): Promise<string | undefined> {
  const filePath = await choosePlace(name, place);
  if (filePath !== undefined) await writeDurably(filePath, text);
  return filePath;
}

/**
 * The path that the user chose. If a file exists there, the user has confirmed that it is replaced.
 * Undefined if the dialog was closed.
 */
export async function choosePlace(
  name: string,
  { folder, front }: SaveDialogPlace,
): Promise<string | undefined> {
  const options: SaveDialogOptions = {
    defaultPath: join(folder, fileName(name)),
    // Linux confirms only with this property; the other systems always do.
    properties: ['showOverwriteConfirmation'],
  };
  const { filePath } = await (front === undefined
    ? dialog.showSaveDialog(options)
    : dialog.showSaveDialog(front, options));
  return filePath === '' ? undefined : filePath;
}

/** A page can propose a file name, but never a folder. */
const fileName = (name: string): string =>
  basename(flatLine(name.replaceAll(/[/\\:*?"<>|]/g, ' '))).replace(/^\.+/, '') || 'session.md';
