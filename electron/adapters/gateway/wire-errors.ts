import type { GatewayDialect } from './routes';

/** The error that a client gets in place of an answer. */
export interface WireError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** Seconds until a retry makes sense, if the provider named a time. */
  readonly retryAfterS?: number;
}

/** An error of the gateway itself. Pure. */
export const wireError = (status: number, code: string, message: string): WireError => ({
  status,
  code,
  message,
});

const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
  413: 'request_too_large',
  503: 'overloaded_error',
};

/** The error in the form that the client's library reads. Pure. */
export function errorBody(dialect: GatewayDialect, error: WireError): string {
  const type = TYPES[error.status] ?? 'api_error';
  const message = `Holdfast: ${error.message}`;
  return JSON.stringify(
    dialect === 'anthropic'
      ? { type: 'error', error: { type, message } }
      : { error: { message, type, code: error.code, param: null } },
  );
}

/** The same in the middle of a started stream. Pure. */
export function errorEvent(dialect: GatewayDialect, error: WireError): string {
  const data = `data: ${errorBody(dialect, error)}\n\n`;
  return dialect === 'anthropic' ? `event: error\n${data}` : data;
}

/**
 * The same after spaces that kept an answer open, whose status was 200. It is deliberately not
 * JSON: libraries that read `{"error":…}` there treat it as an answer without content, and all of
 * them throw at this, most with its text. Pure.
 */
export function errorText({ status, message }: WireError): string {
  return `Holdfast: ${message} (status ${String(status)})`;
}
