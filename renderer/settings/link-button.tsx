import { Button } from '@mantine/core';
import { useState } from 'react';
import type { ReactElement } from 'react';
import { t } from '../../shared/messages';
import { useCommand } from '../bridge';
import { CommandLine, TroubleNote } from '../parts/texts';

/** Without an address for other devices, a phone would look for the page on itself. */
const isOnlyHere = (url: string): boolean => /^https?:\/\/(127\.|localhost[:/]|\[::1\])/.test(url);

/**
 * Creates the link that subscribes a browser to a channel: one button for each person who decides
 * there.
 */
export function LinkButtons({
  name,
  people,
}: {
  name: string;
  /** Empty: the channel has no people, and a single link. */
  people: readonly string[];
}): ReactElement {
  const link = useCommand('channels.link');
  const [made, setMade] = useState<{ url: string; person: string } | undefined>();
  const make = (person: string | undefined): void => {
    setMade(undefined);
    void link.run({ name, ...(person === undefined ? {} : { person }) }).then((answer) => {
      if (answer.ok) setMade(answer.value);
    });
  };
  return (
    <>
      {(people.length < 2 ? [undefined] : people).map((person) => (
        <Button
          key={person ?? ''}
          size="xs"
          loading={link.isBusy}
          aria-label={
            person === undefined
              ? t('channelLink.of', { name })
              : t('channelLink.for', { name: person })
          }
          onClick={() => make(person)}
        >
          {person === undefined ? t('channelLink.make') : t('channelLink.for', { name: person })}
        </Button>
      ))}
      {made || link.trouble ? (
        <div className="test-outcome" role="status">
          <TroubleNote trouble={link.trouble} />
          {made ? (
            <div className="sm wrap">
              {t('channelLink.made', { name: made.person })}
              <CommandLine command={made.url} />
              {isOnlyHere(made.url) ? (
                <p className="ink-attention">{t('channelLink.here')}</p>
              ) : null}
            </div>
          ) : null}
        </div>
      ) : null}
    </>
  );
}
