/** Shared by both windows: theme, nonce, the configured color scheme, the snapshot. */
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import '@mantine/core/styles.layer.css';
import './theme/base.css';
import './theme/shell.css';
import { MantineProvider, useMantineColorScheme } from '@mantine/core';
import { StrictMode, useEffect } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { t } from '../shared/messages';
import { useVerb } from './bridge';
import { watchFormKeys } from './keys/form-keys';
import { keepFocus } from './keys/keep-focus';
import { shareNonce, styleNonce } from './theme/nonce';
import { cssVariablesResolver, theme } from './theme/theme';
import { CopyAsMarkdown } from './parts/copy-as-markdown';
import { PageBoundary } from './parts/page-boundary';
import { SettleAtStop } from './unsent/use-unsent';

/** Follows the setting `app.theme`; the last one is remembered so a window opens in its colors. */
function FollowTheme(): null {
  const config = useVerb('config.get', { key: 'app.theme' });
  const { setColorScheme } = useMantineColorScheme();
  const wanted = config.data?.value;
  useEffect(() => {
    if (wanted === 'light' || wanted === 'dark') setColorScheme(wanted);
    else if (wanted === 'system') setColorScheme('auto');
  }, [wanted, setColorScheme]);
  return null;
}

function KeepFocus(): null {
  useEffect(() => keepFocus(), []);
  useEffect(() => watchFormKeys(), []);
  return null;
}

/** Theme and styles for a tree; tests wrap their components in it too. */
export function Frame({
  children,
  env = 'default',
}: {
  children: ReactNode;
  env?: 'default' | 'test';
}): ReactElement {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariablesResolver}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
      env={env}
    >
      <KeepFocus />
      {children}
    </MantineProvider>
  );
}

/** Starts a window. */
export function mount(title: string, page: ReactElement): void {
  shareNonce();
  document.title = title;
  const root = document.getElementById('root');
  if (!root) return;
  createRoot(root).render(
    <StrictMode>
      <Frame>
        {window.holdfast ? (
          <>
            <FollowTheme />
            <SettleAtStop />
            <CopyAsMarkdown />
            <PageBoundary place="">{page}</PageBoundary>
          </>
        ) : (
          <p className="empty">{t('app.noBridge')}</p>
        )}
      </Frame>
    </StrictMode>,
  );
}
