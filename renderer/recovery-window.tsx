/** The recovery window: one page at a time, chosen by the hash. */
import { useEffect, useRef } from 'react';
import type { ReactElement } from 'react';
import { AgentsPage } from './agents/agents-page';
import { useEvent, useVerb } from './bridge';
import { DecisionsPage } from './decisions/decisions-page';
import { HomePage } from './home/home-page';
import { goTo, hrefOf, parseRoute, useHash } from './route';
import type { Route } from './route';
import { SessionsPage } from './session/sessions-page';
import { Shell } from './shell';
import { StatusProvider } from './status';
import { TurnPage } from './turn/turn-page';
import { WelcomePage } from './welcome/welcome-page';

function Page({ route }: { route: Route }): ReactElement {
  switch (route.kind) {
    case 'home':
      return <HomePage />;
    case 'decisions':
      return <DecisionsPage {...(route.turnId === undefined ? {} : { turnId: route.turnId })} />;
    case 'sessions':
      return (
        <SessionsPage {...(route.sessionId === undefined ? {} : { sessionId: route.sessionId })} />
      );
    case 'turn':
      return <TurnPage key={route.turnId} turnId={route.turnId} />;
    case 'agents':
      return <AgentsPage />;
    case 'welcome':
      return <WelcomePage />;
  }
}

/** Opens the first start story once, while its setting says that nobody has seen it. */
function FirstStart(): null {
  const firstStart = useVerb('config.get', { key: 'app.first_start_done' });
  const isAsked = useRef(false);
  const isNew = firstStart.data?.value === false;
  useEffect(() => {
    if (!isNew || isAsked.current) return;
    isAsked.current = true;
    if (parseRoute(window.location.hash).kind === 'home') goTo({ kind: 'welcome' });
  }, [isNew]);
  return null;
}

export function RecoveryWindow(): ReactElement {
  const route = parseRoute(useHash());
  // The only thing main can do to a window: show one of these pages (D1).
  useEvent('navigate', ({ route: wanted }) => {
    window.location.hash = hrefOf(parseRoute(wanted));
  });
  return (
    <StatusProvider>
      <FirstStart />
      {route.kind === 'welcome' ? (
        <Page route={route} />
      ) : (
        <Shell route={route}>
          <Page route={route} />
        </Shell>
      )}
    </StatusProvider>
  );
}
