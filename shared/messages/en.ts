import { EN_APPROVALS } from './en-approvals';
import { EN_AUDIT } from './en-audit';
import { EN_CHANNELS } from './en-channels';
import { EN_COMPUTERS } from './en-computers';
import { EN_DELIVERY } from './en-delivery';
import { EN_DESKTOP } from './en-desktop';
import { EN_DRAFTS } from './en-drafts';
import { EN_EVENTS } from './en-events';
import { EN_EXTENSIONS } from './en-extensions';
import { EN_HOSTS } from './en-hosts';
import { EN_INPUT } from './en-input';
import { EN_OUTAGES } from './en-outages';
import { EN_PAGES } from './en-pages';
import { EN_PROCESSES } from './en-processes';
import { EN_QUESTIONS } from './en-questions';
import { EN_RUNS } from './en-runs';
import { EN_SCHEDULE } from './en-schedule';
import { EN_SCHEDULE_PAGE } from './en-schedule-page';
import { EN_SEARCH } from './en-search';
import { EN_SESSION } from './en-session';
import { EN_SETTING_ROWS } from './en-setting-rows';
import { EN_SETTINGS } from './en-settings';
import { EN_SETTINGS_ABOUT } from './en-settings-about';
import { EN_SETTINGS_GROUPS } from './en-settings-groups';
import { EN_SETUP } from './en-setup';
import { EN_SHELL } from './en-shell';
import { EN_TIMELINE } from './en-timeline';
import { EN_REASONS } from './en-reasons';
import { EN_TROUBLE } from './en-trouble';
import { EN_UPDATES } from './en-updates';
import { EN_USAGE } from './en-usage';
import { EN_WORDS } from './en-words';

/** English, the language of the catalogue. Each key belongs to one of the parts. */
export const EN = {
  ...EN_PAGES,
  ...EN_SESSION,
  ...EN_SEARCH,
  ...EN_SETTINGS,
  ...EN_SETTING_ROWS,
  ...EN_SETTINGS_ABOUT,
  ...EN_SETTINGS_GROUPS,
  ...EN_TROUBLE,
  ...EN_UPDATES,
  ...EN_SETUP,
  ...EN_SHELL,
  ...EN_TIMELINE,
  ...EN_EVENTS,
  ...EN_AUDIT,
  ...EN_DRAFTS,
  ...EN_EXTENSIONS,
  ...EN_HOSTS,
  ...EN_INPUT,
  ...EN_APPROVALS,
  ...EN_PROCESSES,
  ...EN_QUESTIONS,
  ...EN_RUNS,
  ...EN_OUTAGES,
  ...EN_DELIVERY,
  ...EN_SCHEDULE,
  ...EN_CHANNELS,
  ...EN_SCHEDULE_PAGE,
  ...EN_DESKTOP,
  ...EN_USAGE,
  ...EN_COMPUTERS,
  ...EN_WORDS,
  ...EN_REASONS,
} as const;
