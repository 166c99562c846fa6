/**
 * After each test of a page: it is taken down, what a window remembers over its pages is forgotten, and
 * the next one begins at the first page. And what costs a quarter of a page's time here and tells a test
 * nothing is left out.
 */
import * as React from 'react';
import CSSPropertyManager from 'happy-dom/lib/css/declaration/property-manager/CSSPropertyManager.js';
import { notifications } from '@mantine/notifications';
import { cleanup, configure, getConfig } from '@testing-library/react';
import { afterAll, afterEach, vi } from 'vitest';
import { setSearchForm } from '../../renderer/search/search-form';
import { EMPTY_FORM } from '../../renderer/search/search-view';
import { drawToasts } from '../../renderer/toasts/toasts';

afterEach(() => {
  cleanup();
  drawToasts(() => undefined)();
  notifications.clean();
  setSearchForm(EMPTY_FORM);
  window.location.hash = '';
});

// A page that is still loading when its file is over would be broken for the files after it, which share it.
afterAll(() => vi.dynamicImportSettled());

// React notes the stack of each element that is made, for its own messages, until it has made many.
Object.defineProperty(
  (React as unknown as Record<string, object>)[
    '__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE'
  ] ?? {},
  'recentlyCreatedOwnerStacks',
  { get: () => Number.MAX_SAFE_INTEGER, set: () => undefined },
);

// A computed style is copied at every look at it, deeply. What happy-dom changes in one afterward is its own.
CSSPropertyManager.prototype.clone = function clone() {
  const { properties, definedPropertyNames } = this as unknown as Record<string, object>;
  return Object.assign(new CSSPropertyManager(), {
    properties: { ...properties },
    definedPropertyNames: { ...definedPropertyNames },
  });
};

// A query that waits for an element printed the whole page at each look; the last look prints it once.
const { getElementError } = getConfig();
configure({
  getElementError: (message, container) =>
    (getConfig() as { _disableExpensiveErrorDiagnostics?: boolean })
      ._disableExpensiveErrorDiagnostics
      ? Object.assign(new Error(message ?? ''), { name: 'TestingLibraryElementError' })
      : getElementError(message, container),
});
