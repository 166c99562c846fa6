export { createGatewayDesk, type GatewayDeskDeps, type Ladder } from './desk';
