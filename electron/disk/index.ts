export {
  appearInPlace,
  appendLineDurablySync,
  copyDurably,
  fillDurably,
  moveInPlace,
  removeDurably,
  removeDurablySync,
  writeAgainSync,
  writeAside,
  writeDurably,
  writeDurablySync,
  writeForThisRunSync,
} from './durable-file';
export {
  faultOfGivenPath,
  faultOfOwnPath,
  faultOfSocket,
  faultOnTheWay,
  faultsWithin,
  ownAccount,
} from './ownership';
export type { Finding } from './ownership-rules';
export { makeFolder, makeFolderSync, syncFolder, syncFolderSync } from './durable-folder';
export { sweepNow, sweepTree } from './sweep';
export { isTemporaryName, temporaryPath } from './temporary-names';
