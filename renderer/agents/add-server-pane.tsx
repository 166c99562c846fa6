/** How an MCP server is added: its place in config.json, lines to start from, and the folder of the file. */
import { Button, CopyButton } from '@mantine/core';
import { FolderOpen } from 'lucide-react';
import type { ReactElement } from 'react';
import { Fact } from '../parts/fact';
import { t } from '../../shared/messages';
import { useCommand, useVerb } from '../bridge';
import { InertBlock, TroubleNote } from '../parts/texts';

/** Complete, so that it is a valid file if there is none yet. */
const EXAMPLE = JSON.stringify(
  {
    mcp: {
      servers: {
        notes: {
          command: 'npx',
          args: ['-y', '@modelcontextprotocol/server-filesystem', '/path/to/notes'],
        },
        team: {
          url: 'https://mcp.example.com/mcp',
          headers_env: { Authorization: 'TEAM_AUTH' },
        },
      },
    },
  },
  undefined,
  2,
);

export function AddServerPane(): ReactElement {
  const config = useVerb('config.list', {});
  const open = useCommand('app.openFolder');
  return (
    <div className="stack agent">
      <h2 className="agent-name">{t('ext.addTitle')}</h2>
      <p className="t2">{t('ext.addAbout')}</p>
      <dl className="facts">
        <Fact name={t('ext.file')} className="mono wrap" text={config.data?.path ?? ''} />
      </dl>
      <InertBlock text={EXAMPLE} label={t('ext.example')} />
      <div className="flex flex-wrap">
        <Button
          leftSection={<FolderOpen className="icon small" />}
          loading={open.isBusy}
          onClick={() => void open.run({ which: 'data' })}
        >
          {t('ext.openFolder')}
        </Button>
        <CopyButton value={EXAMPLE}>
          {({ copied, copy }) => (
            <Button onClick={copy}>{copied ? t('common.copied') : t('ext.copyExample')}</Button>
          )}
        </CopyButton>
      </div>
      <TroubleNote trouble={config.trouble ?? open.trouble} />
      <p className="sm t2">{t('ext.addSecrets')}</p>
      <p className="sm t2">{t('ext.addThen')}</p>
    </div>
  );
}
