export { createOwnChannel } from './own-channel';
export type { OwnChannelDeps } from './own-channel';
export { openInbound } from './inbound-server';
