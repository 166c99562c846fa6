export { createGatewayDesk, type GatewayDeskDeps, type GatewayStanding, type Ladder } from './desk';
