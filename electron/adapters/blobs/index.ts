export { createBlobs } from './blobs';
export type { BlobsDeps } from './blobs';
export { createHasher } from './hasher';
