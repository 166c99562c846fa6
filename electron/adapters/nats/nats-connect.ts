import type * as Transport from '@nats-io/transport-node';
import type { NatsCredential } from './nats-credential';
import type { NatsAddress } from './nats-servers';

/** A connection's authenticator; undefined for a server without authentication. */
export function authenticatorOf(
  nats: typeof Transport,
  credential: NatsCredential | undefined,
): Transport.Authenticator | undefined {
  if (credential === undefined) return undefined;
  switch (credential.kind) {
    case 'token':
      return nats.tokenAuthenticator(credential.token);
    case 'password':
      return nats.usernamePasswordAuthenticator(credential.user, credential.password);
    case 'creds':
      return nats.credsAuthenticator(new TextEncoder().encode(credential.text));
  }
}

export const tlsOptions = ({ tlsName }: NatsAddress) => ({
  handshakeFirst: false,
  ...(tlsName === undefined ? {} : { servername: tlsName }),
});
