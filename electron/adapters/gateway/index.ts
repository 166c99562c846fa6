export { openGateway } from './gateway-server';
export type { GatewayDeps, GatewayServer } from './gateway-server';
