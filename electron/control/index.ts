export { askHolder } from './ask-holder';
export { controlSocketPath, controlTokenPath } from './address';
export { connectControl, readControlToken } from './client';
export type { ConnectFailure, ConnectResult, ControlClient } from './client';
export { createControlServer } from './server';
export type { ControlAddress, ControlServer, ControlServerDeps } from './server';
