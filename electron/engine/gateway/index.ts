export {
  createRequestQueue,
  type RequestQueueDeps,
  type GatewayStanding,
  type Ladder,
} from './request-queue';
export { turnsOfClient } from './turns-of-client';
