/** The recovery window: one page at a time, chosen by the hash. */
import { Suspense, lazy, useDeferredValue, useEffect, useRef } from 'react';
import type { ComponentType, LazyExoticComponent, ReactElement } from 'react';
import { useEvent } from './bridge';
import { useAgentTitles } from './agents/agent-titles';
import { HomePage } from './home/home-page';
import { useLooks } from './home/use-away';
import { isFocusLost } from './keys/keep-focus';
import { useKeepPlace, useLandingPage, useLeaveFirstStart } from './landing';
import { NetworkUp } from './outages/network-up';
import { PageBoundary } from './parts/page-boundary';
import { hrefOf, parseRoute, useHash } from './route';
import type { Route } from './route';
import { Shell } from './shell';
import { StatusProvider } from './status';

/** Most windows open on Home; every other page is loaded on first use. */
function page<P extends object>(
  load: () => Promise<ComponentType<P>>,
): LazyExoticComponent<ComponentType<P>> {
  return lazy(async () => ({ default: await load() }));
}
const AgentsPage = page(async () => (await import('./agents/agents-page')).AgentsPage);
const ComputersPage = page(async () => (await import('./computers/computers-page')).ComputersPage);
const DecisionsPage = page(async () => (await import('./decisions/decisions-page')).DecisionsPage);
const DraftsPage = page(async () => (await import('./drafts/drafts-page')).DraftsPage);
const DeliveryPage = page(async () => (await import('./events/events-page')).DeliveryPage);
const EventsPage = page(async () => (await import('./events/events-page')).EventsPage);
const FarSessionPage = page(async () => (await import('./hosts/far-session-page')).FarSessionPage);
const OutagesPage = page(async () => (await import('./outages/outages-page')).OutagesPage);
const RestartPage = page(async () => (await import('./restart/restart-page')).RestartPage);
const RunsPage = page(async () => (await import('./runs/runs-page')).RunsPage);
const SchedulePage = page(async () => (await import('./schedule/schedule-page')).SchedulePage);
const SessionsPage = page(async () => (await import('./session/sessions-page')).SessionsPage);
const SearchPage = page(async () => (await import('./search/search-page')).SearchPage);
const TaskFormPage = page(async () => (await import('./schedule/task-form')).TaskFormPage);
const TurnPage = page(async () => (await import('./turn/turn-page')).TurnPage);
const UsagePage = page(async () => (await import('./usage/usage-page')).UsagePage);
const WelcomePage = page(async () => (await import('./welcome/welcome-page')).WelcomePage);

function Page({ route }: { route: Route }): ReactElement {
  switch (route.kind) {
    case 'home':
      return <HomePage />;
    case 'decisions':
      return (
        <DecisionsPage
          {...(route.turnId === undefined ? {} : { turnId: route.turnId })}
          {...(route.itemId === undefined ? {} : { itemId: route.itemId })}
        />
      );
    case 'sessions':
      return (
        <SessionsPage {...(route.sessionId === undefined ? {} : { sessionId: route.sessionId })} />
      );
    case 'farSession':
      return (
        <FarSessionPage
          key={`${route.host} ${String(route.sessionId)}`}
          host={route.host}
          sessionId={route.sessionId}
        />
      );
    case 'turn':
      return <TurnPage key={route.turnId} turnId={route.turnId} />;
    case 'drafts':
      return <DraftsPage key={route.sessionId} sessionId={route.sessionId} />;
    case 'runs':
      return <RunsPage {...(route.runId === undefined ? {} : { runId: route.runId })} />;
    case 'schedule':
      return <SchedulePage {...(route.taskId === undefined ? {} : { taskId: route.taskId })} />;
    case 'taskForm':
      return (
        <TaskFormPage
          key={route.taskId ?? 'new'}
          {...(route.taskId === undefined ? {} : { taskId: route.taskId })}
        />
      );
    case 'outages':
      return (
        <OutagesPage {...(route.provider === undefined ? {} : { provider: route.provider })} />
      );
    case 'events':
      return <EventsPage route={route} />;
    case 'delivery':
      return <DeliveryPage />;
    case 'agents':
      return (
        <AgentsPage
          key={route.agent}
          {...(route.agent === undefined ? {} : { agent: route.agent })}
        />
      );
    case 'usage':
      return <UsagePage />;
    case 'search':
      return <SearchPage />;
    case 'computers':
      return <ComputersPage />;
    case 'restart':
      return <RestartPage />;
    case 'welcome':
      return <WelcomePage />;
  }
}

/**
 * When navigation removes the pressed link, the focus goes to the start of the new page. The
 * document element names the displayed page, because the address changes before the page is
 * rendered.
 */
function useFocusOnArrival(hash: string): void {
  const before = useRef(hash);
  useEffect(() => {
    document.documentElement.dataset['page'] = hash;
    if (before.current === hash) return;
    before.current = hash;
    if (isFocusLost()) document.getElementById('content')?.focus({ preventScroll: true });
  }, [hash]);
}

export function RecoveryWindow(): ReactElement {
  const hash = useHash();
  const route = parseRoute(hash);
  // The sidebar updates at once. The page renders in the background, and the previous one stays
  // until it is ready.
  const shownHash = useDeferredValue(hash);
  const shown = parseRoute(shownHash);
  useFocusOnArrival(shownHash);
  const isLanded = useLandingPage();
  useKeepPlace(isLanded, hash);
  useLeaveFirstStart(hash);
  useLooks();
  useAgentTitles();
  // The only thing main can make a window do: show one of these pages (D1).
  useEvent('navigate', ({ route: wanted }) => {
    window.location.hash = hrefOf(parseRoute(wanted));
  });
  return (
    <StatusProvider>
      <NetworkUp />
      {shown.kind === 'welcome' ? (
        <PageBoundary place={shownHash}>
          <Suspense fallback={null}>
            <Page route={shown} />
          </Suspense>
        </PageBoundary>
      ) : (
        <Shell route={route}>
          <PageBoundary place={shownHash}>
            <Suspense fallback={null}>
              <Page route={shown} />
            </Suspense>
          </PageBoundary>
        </Shell>
      )}
    </StatusProvider>
  );
}
