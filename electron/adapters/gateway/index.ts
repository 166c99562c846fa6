export { openGateway } from './gateway-server';
export type { GatewayDeps } from './gateway-server';
