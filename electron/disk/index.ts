export {
  appearInPlace,
  appendLineDurablySync,
  copyDurably,
  fillDurably,
  makePrivateSync,
  moveInPlace,
  removeDurably,
  removeDurablySync,
  writeAgainSync,
  writeAside,
  writeDurably,
  writeDurablySync,
  writeForThisRunSync,
} from './durable-file';
export { makeFolder, makeFolderSync, syncFolder, syncFolderSync } from './durable-folder';
export { sweepNow, sweepTree } from './sweep';
export { isTemporaryName, temporaryPath } from './temporary-names';
