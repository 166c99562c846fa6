/** The code of fallbacks: loaded once a turn waits whose agent has any. W4 */
export { createFallback } from '../engine/fallback/fallback';
export { gatewayMove } from '../engine/fallback/gateway-move';
