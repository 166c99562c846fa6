export { createGatewayDesk, type GatewayDeskDeps, type GatewayStanding, type Ladder } from './desk';
export { turnsOfClient } from './turns-of-client';
