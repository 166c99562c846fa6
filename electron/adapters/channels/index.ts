export { createOwnChannel } from './configured-channel';
export type { OwnChannelDeps } from './configured-channel';
export { openInbound } from './inbound-server';
