export { createBlobs } from './blobs';
export type { BlobsDeps } from './blobs';
export { syncFolder, syncFolderSync, writeDurably, writeDurablySync } from './durable-file';
export { createHasher } from './hasher';
